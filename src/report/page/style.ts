/** The style of the report: light or dark like the system, from 320 pixels of width, light on paper. */
const LIGHT = `
  --back: #f5f6f8; --card: #ffffff; --text: #1b1f24; --soft: #57606a; --line: #d5dae0; --link: #0a58ca;
  --delivered: #1a7f37; --throttled: #9a6700; --failed: #c62222;
  --skipped: #6e7781; --duplicate: #8250df; --unknown: #bf3989; --pending: #0969da;`;
const DARK = `
  --back: #0f1318; --card: #181e25; --text: #e6eaef; --soft: #9aa5b1; --line: #313943; --link: #6cb6ff;
  --delivered: #56d364; --throttled: #e3b341; --failed: #ff7b72;
  --skipped: #8b949e; --duplicate: #bc8cff; --unknown: #f778ba; --pending: #58a6ff;`;

export const STYLE = `
:root { color-scheme: light dark;${LIGHT} }
@media screen and (prefers-color-scheme: dark) { :root {${DARK} } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
header, main, footer { max-width: 64rem; margin: 0 auto; padding: 1rem; }
main { display: grid; gap: 1rem; padding-top: 0; }
h1 { font-size: 1.25rem; margin: 0 0 .5rem; overflow-wrap: anywhere; }
h2 { font-size: 1.125rem; margin: 0 0 .75rem; }
h3 { font-size: 1rem; margin: 1.25rem 0 .5rem; }
p, ul, ol { margin: 0 0 .75rem; }
ul { padding-left: 1.25rem; }
p, li, dd, figcaption, summary, .wide { overflow-wrap: anywhere; }
section > :last-child, li > :last-child, details > :last-child { margin-bottom: 0; }
.lead { font-size: 1.25rem; line-height: 1.4; font-weight: 600; }
.soft, figcaption { color: var(--soft); }
section { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: 1rem; min-width: 0; }
.badge { display: inline-block; border: 2px solid currentColor; border-radius: 1em; padding: 0 .75em; font-weight: 600; }
.is-good { color: var(--delivered); } .is-bad { color: var(--failed); } .is-open { color: var(--throttled); }
code, pre { font: .875em/1.5 ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }
code { overflow-wrap: anywhere; }
pre { margin: 0 0 .75rem; overflow-x: auto; padding: .75rem; background: var(--back); border-radius: .375rem; }
.command { display: flex; gap: .5rem; align-items: flex-start; justify-content: space-between; margin: 0 0 .75rem;
  padding: .5rem .5rem .5rem .75rem; background: var(--back); border-radius: .375rem; }
.command code { padding: .375rem 0; }
button { font: inherit; font-size: .875rem; color: inherit; background: var(--card); border: 1px solid var(--soft);
  border-radius: .375rem; padding: .25rem .75rem; min-height: 2.25rem; min-width: 4.5rem; cursor: pointer; }
.steps { list-style: none; padding: 0; }
.steps > li + li { border-top: 1px solid var(--line); padding-top: .75rem; margin-top: .75rem; }
.scroll { overflow-x: auto; margin-bottom: .75rem; }
.scroll.tall { max-height: 24rem; overflow-y: auto; }
table { width: 100%; border-collapse: collapse; font-size: .9375rem; }
caption { text-align: left; color: var(--soft); padding-bottom: .25rem; }
th { text-align: left; font-weight: 600; }
tbody .soft { font-weight: normal; }
thead th { color: var(--soft); font-size: .875rem; background: var(--card); }
.tall thead th { position: sticky; top: 0; }
th, td { padding: .375rem .75rem .375rem 0; vertical-align: top; }
.scroll :is(th, td) { border-bottom: 1px solid var(--line); }
.scroll tbody tr:last-child > * { border-bottom: 0; }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.time, .name { white-space: nowrap; font-variant-numeric: tabular-nums; }
.wide { min-width: 8rem; }
summary { cursor: pointer; padding: .375rem 0; }
details { margin-bottom: .5rem; }
.batch { border-top: 1px solid var(--line); margin: 0; }
.batch > :not(summary) { margin-left: 1.125rem; }
.batch:last-of-type { margin-bottom: .75rem; }
dl { display: grid; grid-template-columns: minmax(7rem, max-content) minmax(0, 1fr); gap: .25rem 1rem; margin: 0 0 .75rem; }
dt { color: var(--soft); } dd { margin: 0; }
figure { margin: 0 0 1rem; }
figcaption { margin-bottom: .375rem; }
figcaption b { color: var(--text); }
.bar { display: block; width: 100%; height: 2.25rem; margin-bottom: .75rem; border-radius: .375rem; }
.swatch { width: 1.125rem; height: 1.125rem; vertical-align: -.125rem; margin-right: .5rem; border-radius: .1875rem; }
.gauge { width: 6rem; height: .75rem; border: 1px solid var(--soft); border-radius: .1875rem; }
.defs { position: absolute; width: 0; height: 0; }
[data-chart] { color: var(--soft); min-height: 15rem; min-width: 0; overflow: hidden; }
.u-legend { font-size: .875rem; color: var(--text); margin: 0; text-align: left; }
.delivered { fill: var(--delivered); } .invalid { fill: var(--throttled); } .skipped { fill: var(--skipped); }
.duplicate { fill: var(--duplicate); } .refused, .exhausted { fill: var(--failed); } .unknown { fill: var(--unknown); }
.pending { fill: var(--pending); }
pattern path { stroke: var(--card); stroke-width: 2; fill: none; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
[hidden] { display: none !important; }
@media (max-width: 40rem) {
  header, main, footer { padding: .75rem; }
  main { padding-top: 0; }
  section { padding: .75rem; }
  .lead { font-size: 1.125rem; }
  dl { grid-template-columns: minmax(0, 1fr); gap: 0; }
  dd { margin-bottom: .5rem; }
  th, td { padding-right: .5rem; }
  .swatch { margin-right: .25rem; }
  .gauge { display: none; }
  .time { white-space: normal; min-width: 5.5rem; }
  .wide { min-width: 6rem; }
  table { font-size: .875rem; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; }
  .command { flex-direction: column; gap: 0; }
}
@media print {
  :root { color-scheme: light; }
  body { background: #fff; font-size: 11pt; }
  section { border: 0; border-top: 1px solid var(--line); border-radius: 0; padding: .75rem 0 0; }
  button { display: none; }
  figure, tr, .batch, .command { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
  .scroll.tall { max-height: none; }
  * { print-color-adjust: exact; }
}
`;
