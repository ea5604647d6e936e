/**
 * The page's script: plain JavaScript for browsers, as a string. It polls `/sandbox/summary` every second while the page is
 * visible. Data from clients is inserted as text, never as markup.
 */
export const SCRIPT = `
'use strict';
const byId = (id) => document.getElementById(id);
const number = new Intl.NumberFormat('en');
const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const timeOf = (time) => clock.format(new Date(time));
const plural = (count, one, many) => number.format(count) + ' ' + (count === 1 ? one : many);

function element(name, attributes, ...content) {
  const node = document.createElement(name);
  for (const key in attributes) node.setAttribute(key, attributes[key]);
  node.append(...content.filter((part) => part !== undefined && part !== null));
  return node;
}

/** Nodes of items that are still shown are reused, so that what is open stays open. */
function fill(id, items, keyOf, make) {
  const container = byId(id);
  const known = new Map([...container.children].map((node) => [node.dataset.key, node]));
  const seen = new Map();
  const nodes = items.map((item) => {
    const count = (seen.get(keyOf(item)) ?? 0) + 1;
    seen.set(keyOf(item), count);
    const key = keyOf(item) + '#' + count;
    const node = known.get(key) ?? make(item);
    node.dataset.key = key;
    return node;
  });
  if (nodes.some((node, index) => node !== container.children[index]) || nodes.length !== container.children.length) {
    container.replaceChildren(...nodes);
  }
  const section = container.closest('[data-when]');
  if (section !== null) section.hidden = items.length === 0;
}

function mark(word, tone) {
  return element('span', { class: 'mark is-' + tone }, word);
}

function facts(pairs) {
  return element('dl', { class: 'facts' }, ...pairs.flatMap(([name, value]) =>
    value === undefined || value === null || value === '' ? [] : [element('dt', {}, name), element('dd', {}, String(value))]));
}

/** @param load what opening shows; called once */
function fold(summary, load) {
  const node = element('details', {}, element('summary', {}, ...summary));
  node.addEventListener('toggle', async () => {
    if (node.open && node.children.length === 1) node.append(...await load());
  });
  return node;
}

async function get(path) {
  const reply = await fetch(path, { cache: 'no-store' });
  if (!reply.ok) throw new Error(String(reply.status));
  return reply;
}

async function getRecords(filter) {
  const text = await (await get('/sandbox/records?' + new URLSearchParams(filter))).text();
  return text.split('\\n').filter((line) => line !== '').map((line) => ({ line, ...JSON.parse(line) }));
}

function titleOf(record) {
  const fields = record !== null && typeof record === 'object' ? record : {};
  const texts = (...names) => names.map((name) => fields[name]).filter((value) => typeof value === 'string' && value !== '');
  const title = texts('signal_title', 'signal_name').slice(0, 1);
  const who = texts('company_name', 'engager_name', 'engager_company', 'engagement_type', 'platform');
  return [...who, ...title].join(' · ').slice(0, 120) || 'no title';
}

/** The worst first. */
const TONES = { rejected: 'bad', deduplicated: 'odd', accepted: 'good' };
const rank = ({ status }) => Object.keys(TONES).indexOf(status);

function recordFold({ line, ...stored }) {
  const { n, status, deal, reason, record } = stored;
  const word = deal === undefined ? status : 'promoted';
  return fold([mark(word, TONES[status]), ' ' + titleOf(record) + (reason === undefined ? '' : ': ' + reason)], () => [
    facts([
      ['Request', n],
      ['Reason', reason],
      ['Family', stored.family?.family],
      ['Account', stored.account?.name],
      ['Warmth', stored.warmth?.score],
      ['ICP', stored.icp === undefined ? undefined : stored.icp.qualified ? 'qualified' : 'not qualified'],
      ['Deal', deal],
    ]),
    element('pre', { tabindex: 0, role: 'region', 'aria-label': 'Record as it arrived' }, JSON.stringify(record, null, 2)),
  ]);
}

function batchFold(batch) {
  const { n, time, type, accepted, deduplicated, rejected, promoted, records, batchId, bytes, status } = batch;
  const counts = [[accepted, 'accepted'], [deduplicated, 'deduplicated'], [rejected, type === 'social' ? 'dropped' : 'rejected'],
    [promoted, 'promoted']].filter(([count]) => count > 0).map(([count, word]) => number.format(count) + ' ' + word);
  const what = plural(records, type === 'social' ? 'event' : 'signal', type === 'social' ? 'events' : 'signals');
  return fold([timeOf(time) + '  ', mark(what, rejected > 0 ? 'bad' : 'good'), ': ' + counts.join(', ')], async () => {
    const about = facts([['Request', n], ['Batch id', batchId], ['HTTP status', status ?? 'no answer'], ['Bytes', number.format(bytes)]]);
    try {
      const found = await getRecords({ n });
      return [about, ...found.sort((one, other) => rank(one) - rank(other)).map(recordFold)];
    } catch {
      return [about, element('p', { class: 'soft' }, 'The records of this batch are not available.')];
    }
  });
}

function failureFold({ n, time, method, path, type, status, records, bytes, fault }) {
  return fold([timeOf(time) + '  ', mark(status === null ? 'no answer' : 'HTTP ' + status, 'bad'), ' ' + (type === undefined ? method + ' ' + path : plural(records, 'record', 'records') + ', ' + type)], () => [
    facts([
      ['Request', n],
      ['Time', time],
      ['Path', method + ' ' + path],
      ['Records', number.format(records)],
      ['Bytes', number.format(bytes)],
      ['Injected', fault],
    ]),
  ]);
}

function showNumbers(sum) {
  const { signals, social } = sum.records;
  const values = {
    batches: sum.batches.signals, accepted: signals.accepted, deduplicated: signals.deduplicated, rejected: signals.rejected,
    posts: sum.batches.social, events: social.accepted, invalid: social.rejected, promoted: sum.promoted, contacts: sum.contacts,
  };
  for (const id in values) byId('n-' + id).textContent = number.format(values[id]);
  byId('failed-count').textContent = number.format(sum.refused);
  byId('qualified').textContent = plural(sum.qualified, 'accepted record is', 'accepted records are') + ' ICP-qualified; ' +
    plural(sum.unmatched, 'matches', 'match') + ' no account.';
}

function cell(text) {
  return element('td', {}, typeof text === 'number' ? number.format(text) : text ?? '');
}

function rows(id, items, cellsOf) {
  fill(id, items, JSON.stringify, (item) => element('tr', {}, ...cellsOf(item).map(cell)));
}

// Requests over time: bars, failed requests with a pattern, and a table.
const zone = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' }).formatToParts(new Date())
  .find(({ type }) => type === 'timeZoneName').value;
const units = [[86400, 'd'], [3600, 'h'], [60, 'min'], [1, 's']];

function stepText(seconds) {
  const [size, unit] = units.find(([size]) => seconds % size === 0);
  return seconds / size + ' ' + unit;
}

function shape(name, attributes) {
  const node = document.createElementNS(byId('plot').namespaceURI, name);
  for (const key in attributes) node.setAttribute(key, attributes[key]);
  return node;
}

function showTimeline({ stepSeconds, steps }) {
  const most = Math.max(1, ...steps.map(({ processed, failed }) => processed + failed));
  const width = 100 / Math.max(steps.length, 10);
  const bars = steps.flatMap(({ processed, failed }, index) => {
    const bar = (kind, below, count, fill) => count === 0 ? [] : [shape('rect', {
      class: kind, x: index * width + '%', width: width * 0.85 + '%',
      y: (1 - (below + count) / most) * 100 + '%', height: count / most * 100 + '%', ...fill,
    })];
    return [
      ...bar('processed', 0, processed, {}),
      ...bar('failed', processed, failed, {}),
      ...bar('', processed, failed, { fill: 'url(#hatch)' }),
    ];
  });
  byId('plot').replaceChildren(...bars);
  byId('top').textContent = number.format(most);
  byId('step').textContent = 'Requests per ' + stepText(stepSeconds) + '. Times: ' + zone + '.';
  byId('from').textContent = timeOf(steps[0]?.time ?? 0);
  const last = Date.parse(steps.at(-1)?.time ?? 0) + stepSeconds * 1000 * (Math.max(steps.length, 10) - steps.length + 1);
  byId('to').textContent = timeOf(last);
  rows('steps', steps.filter(({ processed, failed }) => processed + failed > 0).toReversed(),
    ({ time, processed, failed }) => [timeOf(time), processed, failed]);
}

let shown = 10;
let asked = '';
async function showRecords() {
  const filter = Object.fromEntries([...new FormData(byId('search'))].filter(([, value]) => value !== ''));
  const query = JSON.stringify(filter) + shown;
  asked = query;
  try {
    const found = (await getRecords({ ...filter, last: shown + 1 })).reverse();
    // A later search may have been answered first.
    if (asked !== query) return;
    fill('records', found.slice(0, shown), ({ line }) => line, recordFold);
    byId('more').hidden = found.length <= shown;
    byId('none').hidden = found.length > 0;
  } catch {
    byId('none').hidden = false;
  }
}

let version;
async function show(sum) {
  if (sum.version === version) return;
  version = sum.version;
  byId('empty').hidden = sum.requests > 0;
  byId('main').hidden = sum.requests === 0;
  fill('failures', sum.lastFailures.slice(0, 5), ({ n }) => n, failureFold);
  showNumbers(sum);
  showTimeline(sum.timeline);
  fill('batches', sum.lastBatches.slice(0, 10), ({ n }) => n, batchFold);
  rows('families', sum.families, ({ name, count }) => [name, count]);
  rows('accounts', sum.accounts, ({ name, signals, events, deals }) => [name, signals, events, deals]);
  rows('promotions', sum.promotions.slice(0, 10), (one) => [timeOf(one.time), one.deal, one.title, one.account ?? 'no account', one.warmth]);
  await showRecords();
}

function setState(text, lost) {
  const state = byId('state');
  if (state.textContent !== text) state.textContent = text;
  state.classList.toggle('lost', lost);
}

async function refresh() {
  try {
    await show(await (await get('/sandbox/summary')).json());
    setState('Live', false);
  } catch {
    setState('The sandbox does not answer. The page shows earlier data.', true);
  }
}

async function poll() {
  for (;;) {
    if (!document.hidden) await refresh();
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

for (const place of document.querySelectorAll('.base')) place.textContent = location.origin;
byId('copy').addEventListener('click', async () => {
  const code = byId('copy').parentElement.querySelector('code');
  try {
    await navigator.clipboard.writeText(code.textContent);
    byId('copy').textContent = 'Copied';
  } catch {
    getSelection().selectAllChildren(code);
    byId('copy').textContent = 'Press Ctrl+C';
  }
  setTimeout(() => { byId('copy').textContent = 'Copy'; }, 2000);
});
byId('search').addEventListener('input', () => { shown = 10; showRecords(); });
byId('search').addEventListener('submit', (event) => { event.preventDefault(); });
byId('more').addEventListener('click', () => { shown += 40; showRecords(); });
byId('forget').addEventListener('click', async () => {
  if (!confirm('Delete everything that arrived?')) return;
  await fetch('/sandbox/reset', { method: 'POST' }).catch(() => undefined);
  await refresh();
});
document.addEventListener('visibilitychange', () => { if (!document.hidden) refresh(); });
poll();
`;
