/**
 * The page at `/`: what arrived, as a person would want to see it. One document without a build step that needs
 * nothing from anywhere else. It asks `/sandbox/summary` every second while somebody looks at it.
 *
 * Everything that a client sent is put in as text and never as markup, and the page's policy lets nothing run but
 * the script below.
 */
import { createHash } from 'node:crypto';
import type { Answer } from './answer.ts';

const STYLE = `
:root {
  color-scheme: light dark;
  --back: #f5f6f8; --card: #ffffff; --text: #1b1f24; --soft: #57606a; --line: #d5dae0;
  --accepted: #0a58ca; --deduplicated: #8b949e; --rejected: #b93a06; --good: #1a7f37;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #0f1318; --card: #181e25; --text: #e6eaef; --soft: #9aa5b1; --line: #313943;
    --accepted: #58a6ff; --deduplicated: #7d8896; --rejected: #f0883e; --good: #56d364;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--back); color: var(--text);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
header, main, footer { max-width: 72rem; margin: 0 auto; padding: 1rem; }
header { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; align-items: baseline; padding-bottom: 0; }
h1 { font-size: 1.4rem; margin: 0; }
h2 { font-size: 1rem; margin: 0 0 .75rem; }
p { margin: 0 0 .75rem; }
a { color: var(--accepted); }
code { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: .9em; overflow-wrap: anywhere; }
.soft { color: var(--soft); }
#state::before { content: ""; display: inline-block; width: .6em; height: .6em; border-radius: 50%;
  margin-right: .4em; background: var(--good); }
#state.lost::before { background: var(--rejected); }
main { display: grid; gap: 1rem; grid-template-columns: repeat(2, minmax(0, 1fr)); }
section { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: 1rem; min-width: 0; }
.wide { grid-column: 1 / -1; }
.numbers { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: 1rem; margin: 0; }
.numbers div { display: flex; flex-direction: column-reverse; justify-content: flex-end; }
.numbers dt { color: var(--soft); font-size: .875rem; line-height: 1.3; }
.numbers dd { margin: 0; font-size: 1.75rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
svg { display: block; width: 100%; }
#chart { height: 9rem; }
.accepted { fill: var(--accepted); } .deduplicated { fill: var(--deduplicated); } .rejected { fill: var(--rejected); }
.ends { display: flex; justify-content: space-between; gap: 1rem; font-size: .875rem; color: var(--soft);
  border-top: 1px solid var(--line); padding-top: .25rem; }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; list-style: none; margin: 0 0 .75rem; padding: 0;
  font-size: .875rem; }
.legend svg { display: inline-block; width: .75em; height: .75em; margin-right: .35em; }
.bars { list-style: none; margin: 0; padding: 0; display: grid; gap: .5rem; }
.bars div { display: flex; justify-content: space-between; gap: 1rem; overflow-wrap: anywhere; }
.bars svg { height: .5rem; }
.track { fill: var(--line); }
table { width: 100%; border-collapse: collapse; font-size: .9375rem; }
th { text-align: left; font-weight: 600; color: var(--soft); font-size: .875rem; }
th, td { padding: .375rem .75rem .375rem 0; border-bottom: 1px solid var(--line); vertical-align: top;
  overflow-wrap: anywhere; }
tr:last-child td { border-bottom: 0; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
/* Widths are given, so that a long word in one column does not break the words of the others. */
.fixed { table-layout: fixed; }
.w4 { width: 4.75rem; } .w5 { width: 5.75rem; } .w8 { width: 8.5rem; } .w10 { width: 11rem; } .third { width: 34%; }
td.time { white-space: nowrap; font-variant-numeric: tabular-nums; }
.mark { display: inline-block; border: 1px solid currentColor; border-radius: 1em; padding: 0 .5em;
  font-size: .8125rem; white-space: nowrap; color: var(--soft); }
.mark.is-accepted { color: var(--accepted); } .mark.is-rejected { color: var(--rejected); }
.mark.is-promoted { color: var(--good); }
footer { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: center; }
button { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--soft); border-radius: .375rem;
  padding: .375rem .875rem; min-height: 2.5rem; cursor: pointer; }
:focus-visible { outline: 3px solid var(--accepted); outline-offset: 2px; }
[hidden] { display: none !important; }
@media (max-width: 45rem) {
  main { grid-template-columns: minmax(0, 1fr); }
  .numbers { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .w4 { width: 3.75rem; }
  .number { padding-right: 0; }
  .cards thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .cards, .cards tbody, .cards tr, .cards td { display: block; }
  .cards tr { border-bottom: 1px solid var(--line); padding: .5rem 0; }
  .cards tr:last-child { border-bottom: 0; }
  .cards td { border: 0; padding: 0; }
  .cards td[data-label]::before { content: attr(data-label) ": "; color: var(--soft); }
  .cards td:empty { display: none; }
}
`;

const SCRIPT = `
'use strict';
const SVG = 'http://www.w3.org/2000/svg';
const STATUSES = ['accepted', 'deduplicated', 'rejected'];
const byId = (id) => document.getElementById(id);
const number = new Intl.NumberFormat('en');
const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

function element(name, text, about) {
  const made = document.createElement(name);
  if (text !== undefined && text !== null) made.textContent = text;
  for (const key in about) made.setAttribute(key, about[key]);
  return made;
}

function shape(name, about) {
  const made = document.createElementNS(SVG, name);
  for (const key in about) made.setAttribute(key, about[key]);
  return made;
}

function fill(id, items) {
  const place = byId(id);
  place.replaceChildren(...items);
  const section = place.closest('[data-when]');
  if (section !== null) section.hidden = items.length === 0;
}

function showNumbers(sum) {
  const { signals, social } = sum.records;
  const values = {
    batches: sum.batches.signals + sum.batches.social,
    accepted: signals.accepted,
    deduplicated: signals.deduplicated,
    rejected: signals.rejected,
    events: social.accepted,
    promoted: sum.promoted,
    contacts: sum.contacts,
    qualified: sum.qualified,
    refused: sum.refused,
  };
  for (const id in values) byId('n-' + id).textContent = number.format(values[id]);
  byId('n-invalid').textContent = number.format(social.rejected);
}

function lengthOf(ms) {
  const s = ms / 1000;
  if (s < 60) return s === 1 ? 'a second' : s + ' seconds';
  if (s < 3600) return s === 60 ? 'a minute' : s / 60 + ' minutes';
  if (s < 86400) return s === 3600 ? 'an hour' : s / 3600 + ' hours';
  return s === 86400 ? 'a day' : s / 86400 + ' days';
}

function showTimeline(sum) {
  const slots = sum.timeline;
  byId('timeline').hidden = slots.length === 0;
  if (slots.length === 0) return;
  const most = Math.max(1, ...slots.map((s) => s.accepted + s.deduplicated + s.rejected));
  const chart = byId('chart');
  // At least so many places, so that one batch is not one wall.
  const places = Math.max(slots.length, 30);
  chart.setAttribute('viewBox', '0 0 ' + places * 10 + ' 100');
  const parts = [];
  slots.forEach((slot, index) => {
    let bottom = 100;
    for (const status of STATUSES) {
      if (slot[status] === 0) continue;
      const height = Math.max(1, slot[status] / most * 100);
      bottom -= height;
      parts.push(shape('rect', { x: index * 10 + 1, y: bottom, width: 8, height, class: status }));
    }
  });
  chart.replaceChildren(...parts);
  const first = slots[0].at;
  const last = slots[slots.length - 1].at;
  const format = last - first > 43200000 ? day : clock;
  const total = slots.reduce((count, slot) => count + slot.batches, 0);
  byId('chart-from').textContent = format.format(first);
  byId('chart-to').textContent = slots.length > 1 ? format.format(last) : '';
  const each = 'A bar is ' + lengthOf(sum.slotMs) + '; the highest is ' + number.format(most) + ' records.';
  byId('chart-scale').textContent = each;
  chart.setAttribute('aria-label', number.format(total) + ' batches from ' + format.format(first) + ' to ' +
    format.format(last) + '. ' + each + ' The same numbers stand in the table below it.');
  fill('chart-rows', slots.filter((slot) => slot.batches > 0).map((slot) => {
    const row = element('tr');
    row.append(element('td', format.format(slot.at), { class: 'time' }));
    for (const key of ['batches', ...STATUSES]) {
      row.append(element('td', number.format(slot[key]), { class: 'number' }));
    }
    return row;
  }));
}

function showFamilies(sum) {
  const most = Math.max(1, ...sum.families.map((family) => family.count));
  fill('families', sum.families.map(({ name, count }) => {
    const item = element('li');
    const words = element('div');
    words.append(element('span', name), element('span', number.format(count), { class: 'number' }));
    const bar = shape('svg', { viewBox: '0 0 100 4', preserveAspectRatio: 'none', 'aria-hidden': 'true' });
    bar.append(
      shape('rect', { width: 100, height: 4, class: 'track' }),
      shape('rect', { width: count / most * 100, height: 4, class: 'accepted' }));
    item.append(words, bar);
    return item;
  }));
}

function showAccounts(sum) {
  fill('accounts', sum.accounts.map((account) => {
    const row = element('tr');
    const name = element('td', account.name);
    if (account.domain !== null) name.append(' ', element('span', account.domain, { class: 'soft' }));
    row.append(name);
    for (const key of ['signals', 'events', 'deals']) {
      row.append(element('td', number.format(account[key]), { class: 'number' }));
    }
    return row;
  }));
  byId('unmatched').textContent = sum.unmatched === 0 ? '' :
    number.format(sum.unmatched) + ' accepted ' + (sum.unmatched === 1 ? 'record belongs' : 'records belong') +
    ' to no known account.';
}

function timeCell(time) {
  const cell = element('td', undefined, { class: 'time' });
  cell.append(element('time', clock.format(new Date(time)), { datetime: time }));
  return cell;
}

function showPromotions(sum) {
  fill('promotions', sum.promotions.slice(0, 10).map((one) => {
    const row = element('tr');
    row.append(timeCell(one.time), element('td', one.deal), element('td', one.title),
      element('td', one.account ?? 'no account'), element('td', one.about));
    return row;
  }));
}

function showLast(sum) {
  fill('last', sum.last.map((one) => {
    const row = element('tr');
    const status = element('td');
    const word = one.deal === null ? one.status : 'promoted';
    status.append(element('span', word, { class: 'mark is-' + word }));
    row.append(
      timeCell(one.time),
      status,
      element('td', one.title),
      element('td', one.company),
      element('td', one.about),
      element('td', one.account, { 'data-label': 'Account' }),
      element('td', one.qualified === null ? '' : one.qualified ? 'yes' : 'no', { 'data-label': 'Qualifies' }));
    return row;
  }));
}

let version;
function show(sum) {
  if (sum.version === version) return;
  version = sum.version;
  byId('empty').hidden = sum.requests > 0;
  byId('main').hidden = sum.requests === 0;
  showNumbers(sum);
  showTimeline(sum);
  showFamilies(sum);
  showAccounts(sum);
  showPromotions(sum);
  showLast(sum);
}

function say(text, lost) {
  const state = byId('state');
  if (state.textContent !== text) state.textContent = text;
  state.classList.toggle('lost', lost);
}

async function look() {
  try {
    const reply = await fetch('/sandbox/summary', { cache: 'no-store' });
    if (!reply.ok) throw new Error(String(reply.status));
    show(await reply.json());
    say('Live', false);
  } catch {
    say('The sandbox does not answer. What stands here is what arrived before.', true);
  }
}

async function watch() {
  for (;;) {
    if (!document.hidden) await look();
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

for (const place of document.querySelectorAll('.base')) place.textContent = location.origin;
byId('forget').addEventListener('click', async () => {
  if (!confirm('Forget everything that arrived?')) return;
  await fetch('/sandbox/reset', { method: 'POST' }).catch(() => undefined);
  await look();
});
document.addEventListener('visibilitychange', () => { if (!document.hidden) look(); });
watch();
`;

const number = (id: string, label: string): string => `<div><dt>${label}</dt><dd id="n-${id}">0</dd></div>`;

const MARKUP = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Signals sandbox</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>Signals sandbox</h1>
<span class="soft">base URL <code class="base"></code></span>
<span id="state" role="status">Looking</span>
</header>
<main id="empty">
<section class="wide">
<h2>Nothing has arrived yet</h2>
<p>This page shows what is sent to the sandbox as it arrives. To upload a file, type in a terminal:</p>
<p><code>SIGNALS_API_KEY=<i>key</i> npx signals upload --base-url <span class="base"></span> FILE</code></p>
<p class="soft">The key stands where the sandbox was started.</p>
<noscript><p>The page needs JavaScript. The same stands in <a href="/sandbox/summary">/sandbox/summary</a>.</p></noscript>
</section>
</main>
<main id="main" hidden>
<section class="wide" aria-label="Numbers">
<dl class="numbers">
${number('batches', 'batches taken in')}
${number('accepted', 'signals accepted')}
${number('deduplicated', 'signals deduplicated')}
${number('rejected', 'signals rejected')}
${number('events', 'events accepted')}
${number('invalid', 'events left out')}
${number('promoted', 'events promoted')}
${number('contacts', 'contacts resolved')}
${number('qualified', 'records that qualify')}
${number('refused', 'requests not taken in')}
</dl>
</section>
<section class="wide" id="timeline">
<h2>Records over time</h2>
<ul class="legend">
<li><svg viewBox="0 0 1 1" aria-hidden="true"><rect width="1" height="1" class="accepted"/></svg>accepted</li>
<li><svg viewBox="0 0 1 1" aria-hidden="true"><rect width="1" height="1" class="deduplicated"/></svg>deduplicated</li>
<li><svg viewBox="0 0 1 1" aria-hidden="true"><rect width="1" height="1" class="rejected"/></svg>rejected</li>
</ul>
<svg id="chart" role="img" preserveAspectRatio="none"></svg>
<div class="ends"><span id="chart-from"></span><span id="chart-scale"></span><span id="chart-to"></span></div>
<details><summary>As a table</summary>
<table><thead><tr><th scope="col">from</th><th scope="col" class="number">batches</th>
<th scope="col" class="number">accepted</th><th scope="col" class="number">deduplicated</th>
<th scope="col" class="number">rejected</th></tr></thead><tbody id="chart-rows"></tbody></table>
</details>
</section>
<section data-when hidden>
<h2>Families</h2>
<ul class="bars" id="families"></ul>
</section>
<section data-when hidden>
<h2>Matched accounts</h2>
<table class="fixed"><thead><tr><th scope="col">account</th><th scope="col" class="number w4">signals</th>
<th scope="col" class="number w4">events</th><th scope="col" class="number w4">deals</th></tr></thead>
<tbody id="accounts"></tbody></table>
<p class="soft" id="unmatched"></p>
</section>
<section class="wide" data-when hidden>
<h2>Promoted to deals</h2>
<table class="cards fixed"><thead><tr><th scope="col" class="w5">time</th><th scope="col" class="w5">deal</th>
<th scope="col" class="third">event</th><th scope="col">account</th><th scope="col" class="w8">why</th></tr></thead><tbody id="promotions"></tbody></table>
</section>
<section class="wide" data-when hidden>
<h2>Last records</h2>
<table class="cards fixed"><thead><tr><th scope="col" class="w5">time</th><th scope="col" class="w8">became</th>
<th scope="col">title</th><th scope="col">company</th><th scope="col" class="w10">family, warmth, reason</th>
<th scope="col">account</th><th scope="col" class="w5">qualifies</th></tr></thead><tbody id="last"></tbody></table>
</section>
</main>
<footer>
<span>All of it: <a href="/sandbox/records">records</a>, <a href="/sandbox/batches">batches</a>,
<a href="/sandbox/requests">requests</a>, <a href="/openapi.json">OpenAPI</a></span>
<button type="button" id="forget">Forget everything</button>
</footer>
<script>${SCRIPT}</script>
</body>
</html>
`;

function source(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** Nothing but this page's own style and script, and no other address than its own. */
const POLICY = [
  "default-src 'none'",
  `style-src ${source(STYLE)}`,
  `script-src ${source(SCRIPT)}`,
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const PAGE: Answer = {
  status: 200,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  },
  body: MARKUP,
};
