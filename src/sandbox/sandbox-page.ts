/**
 * The page at `/`, which shows what arrived: style and markup; its script is in sandbox-page-script.ts. They are strings in
 * modules, not files, so that they are part of any bundle. The content security policy allows only this page's own script
 * and style.
 */
import { PAGE_STYLE, pagePolicy } from '../lib/page.ts';
import type { Answer } from './answer.ts';
import { STATUSES } from './effects.ts';
import { SCRIPT } from './sandbox-page-script.ts';

const STYLE = `${PAGE_STYLE}
header { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; align-items: baseline; }
main { padding-bottom: 0; grid-template-columns: repeat(2, minmax(0, 1fr)); }
a { color: var(--link); }
#state::before { content: ""; display: inline-block; width: .6em; height: .6em; border-radius: 50%;
  margin-right: .4em; background: var(--good); }
#state.lost::before { background: var(--bad); border-radius: 0; }
.wide { grid-column: 1 / -1; }
.numbers { display: grid; grid-template-columns: repeat(auto-fit, minmax(5.25rem, 1fr)); gap: .75rem .25rem; margin: 0; }
.numbers div { display: flex; flex-direction: column-reverse; justify-content: flex-end; }
.numbers dt { font-size: .8125rem; line-height: 1.3; }
.numbers dd { font-size: 1.5rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
details { border-top: 1px solid var(--line); }
details > :not(summary) { margin-left: 1.125rem; }
dl.facts { display: grid; grid-template-columns: minmax(6rem, max-content) minmax(0, 1fr); gap: 0 1rem; }
.mark { font-weight: 600; }
td { overflow-wrap: anywhere; min-width: 3.5rem; }
.counts th + th, .counts td + td { text-align: right; font-variant-numeric: tabular-nums; }
.plot { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0 .5rem; margin-bottom: .75rem; }
.plot svg { width: 100%; height: 7rem; border: solid var(--line); border-width: 0 0 1px 1px; }
.plot .top { text-align: right; font-size: .875rem; }
.plot .ends { grid-column: 2; display: flex; justify-content: space-between; font-size: .875rem; }
.swatch { width: 1em; height: 1em; vertical-align: -.125em; margin-right: .375rem; }
.processed { fill: var(--good); } .failed { fill: var(--bad); }
form { display: flex; flex-wrap: wrap; gap: .5rem .75rem; margin-bottom: .75rem; }
label { display: flex; flex-direction: column; font-size: .875rem; color: var(--soft); flex: 1 1 8rem; }
label:first-child { flex-basis: 14rem; }
input, select { font: inherit; color: var(--text); background: var(--card); border: 1px solid var(--soft);
  border-radius: .375rem; padding: .375rem .625rem; min-height: 2.5rem; min-width: 0; width: 100%; }
button { flex: none; padding: .375rem .875rem; min-height: 2.5rem; white-space: nowrap; }
footer { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: center; }
@media (max-width: 45rem) {
  main { grid-template-columns: minmax(0, 1fr); padding-bottom: 0; }
}
`;

const number = (id: string, label: string): string => `<div><dt>${label}</dt><dd id="n-${id}">0</dd></div>`;

/** @param kind the class `counts` if all columns but the first are numbers */
function table(id: string, label: string, columns: readonly string[], kind = ''): string {
  const head = columns.map((column) => `<th scope="col">${column}</th>`).join('');
  return `<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table class="${kind}" aria-label="${label}"><thead><tr>${head}</tr></thead><tbody id="${id}"></tbody></table></div>`;
}

function select(name: string, label: string, values: readonly (readonly [value: string, text: string])[]): string {
  const options = values.map(([value, text]) => `<option value="${value}">${text}</option>`).join('');
  return `<label>${label}<select name="${name}"><option value="">any</option>${options}</select></label>`;
}

const HATCH =
  '<pattern id="hatch" width="8" height="8" patternUnits="userSpaceOnUse"><path d="M-2 2L2 -2M0 8L8 0M6 10L10 6"/></pattern>';

const swatch = (kind: string): string =>
  `<svg class="swatch" aria-hidden="true"><rect class="${kind}" width="100%" height="100%"/>${kind === 'failed' ? '<rect fill="url(#hatch)" width="100%" height="100%"/>' : ''}</svg>`;

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
<span id="state" role="status">Connecting</span>
</header>
<main id="empty">
<section class="wide">
<h2>Nothing has arrived yet</h2>
<p>This page shows each batch as it arrives. To upload a file, run in a terminal:</p>
<div class="command"><code>SIGNALS_API_KEY=KEY npx signals upload --base-url <span class="base"></span> FILE</code><button type="button" id="copy">Copy</button></div>
<p class="soft">The key is printed in the sandbox's terminal.</p>
<noscript><p>This page needs JavaScript. <a href="/sandbox/summary">/sandbox/summary</a> has the same data.</p></noscript>
</section>
</main>
<main id="main" hidden>
<section class="wide" data-when hidden>
<h2>Failed requests: <span id="failed-count">0</span></h2>
<div id="failures"></div>
<p class="soft">The last five; <a href="/sandbox/requests">all requests</a>.</p>
</section>
<section>
<h2>Market signals</h2>
<dl class="numbers">
${number('batches', 'batches')}
${number('accepted', 'accepted')}
${number('deduplicated', 'deduplicated')}
${number('rejected', 'rejected')}
</dl>
</section>
<section>
<h2>Social events</h2>
<dl class="numbers">
${number('posts', 'batches')}
${number('events', 'accepted')}
${number('invalid', 'dropped')}
${number('promoted', 'promoted')}
${number('contacts', 'contacts')}
</dl>
</section>
<section class="wide">
<h2>Requests over time</h2>
<p><span id="step"></span> ${swatch('processed')}processed ${swatch('failed')}failed</p>
<div class="plot"><span class="top soft" id="top"></span>
<svg role="img" aria-label="Requests over time; the table below has the figures"><defs>${HATCH}</defs><g id="plot"></g></svg>
<div class="ends soft"><span id="from"></span><span id="to"></span></div></div>
<details><summary>The figures as a table</summary>
${table('steps', 'Requests over time', ['from', 'processed', 'failed'], 'counts')}</details>
</section>
<section class="wide" data-when hidden>
<h2>Last batches</h2>
<div id="batches"></div>
</section>
<section class="wide">
<h2>Records</h2>
<form id="search" role="search">
<label>Text<input type="search" name="text" autocomplete="off"></label>
${select('status', 'Result', [...STATUSES.map((status) => [status, status] as const)])}
${select('type', 'Type', [
  ['signals', 'signals'],
  ['social', 'events'],
])}
${select('icp', 'ICP', [
  ['true', 'qualified'],
  ['false', 'not qualified'],
])}
${select('promoted', 'Promoted', [
  ['true', 'yes'],
  ['false', 'no'],
])}
</form>
<div id="records"></div>
<p class="soft" id="none" role="status" hidden>No records match.</p>
<button type="button" id="more" hidden>Show more</button>
</section>
<section class="wide">
<h2>Results</h2>
<p id="qualified"></p>
<details data-when hidden><summary>Promoted to deals</summary>
${table('promotions', 'Promoted to deals', ['time', 'deal', 'event', 'account', 'warmth'])}</details>
<details data-when hidden><summary>Families of signals</summary>
${table('families', 'Families of signals', ['family', 'signals'], 'counts')}</details>
<details data-when hidden><summary>Matched accounts</summary>
${table('accounts', 'Matched accounts', ['account', 'signals', 'events', 'deals'], 'counts')}</details>
</section>
</main>
<footer>
<span>Data: <a href="/sandbox/records">records</a>, <a href="/sandbox/batches">batches</a>,
<a href="/sandbox/requests">requests</a>, <a href="/openapi.json">OpenAPI</a></span>
<button type="button" id="forget">Delete everything</button>
</footer>
<script>${SCRIPT}</script>
</body>
</html>
`;

export const PAGE: Answer = {
  status: 200,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': pagePolicy(STYLE, SCRIPT, ["connect-src 'self'", "frame-ancestors 'none'"]),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  },
  body: MARKUP,
};
