/** The style of the report: light on paper. */
import { PAGE_STYLE } from '../../lib/page.ts';

const LIGHT = '--skipped: #6e7781; --duplicate: #8250df; --unknown: #bf3989; --pending: #0969da;';
const DARK = '--skipped: #8b949e; --duplicate: #bc8cff; --unknown: #f778ba; --pending: #58a6ff;';

export const STYLE = `${PAGE_STYLE}
:root { ${LIGHT} }
@media screen and (prefers-color-scheme: dark) { :root { ${DARK} } }
h1 { margin: 0 0 .5rem; overflow-wrap: anywhere; }
h3 { font-size: 1rem; margin: 1.25rem 0 .5rem; }
ul { margin: 0 0 .75rem; padding-left: 1.25rem; }
p, li, figcaption, .wide { overflow-wrap: anywhere; }
.lead { font-size: 1.25rem; line-height: 1.4; font-weight: 600; }
figcaption { color: var(--soft); }
.badge { display: inline-block; border: 2px solid currentColor; border-radius: 1em; padding: 0 .75em; font-weight: 600; }
.command { align-items: flex-start; }
.command code { padding: .375rem 0; }
button { font-size: .875rem; padding: .25rem .75rem; min-height: 2.25rem; min-width: 4.5rem; }
.steps { list-style: none; padding: 0; }
.steps > li + li { border-top: 1px solid var(--line); padding-top: .75rem; margin-top: .75rem; }
.scroll { margin-bottom: .75rem; }
.scroll.tall { max-height: 24rem; overflow-y: auto; }
caption { text-align: left; color: var(--soft); padding-bottom: .25rem; }
tbody .soft { font-weight: normal; }
thead th { background: var(--card); }
.tall thead th { position: sticky; top: 0; }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.time, .name { white-space: nowrap; font-variant-numeric: tabular-nums; }
.wide { min-width: 8rem; }
details { margin-bottom: .5rem; }
.batch { border-top: 1px solid var(--line); margin: 0; }
.batch > :not(summary) { margin-left: 1.125rem; }
.batch:last-of-type { margin-bottom: .75rem; }
dl { display: grid; grid-template-columns: minmax(7rem, max-content) minmax(0, 1fr); gap: .25rem 1rem; margin: 0 0 .75rem; }
figure { margin: 0 0 1rem; }
figcaption { margin-bottom: .375rem; }
figcaption b { color: var(--text); }
.bar { display: block; width: 100%; height: 2.25rem; margin-bottom: .75rem; border-radius: .375rem; }
.swatch { width: 1.125rem; height: 1.125rem; vertical-align: -.125rem; margin-right: .5rem; border-radius: .1875rem; }
.gauge { width: 6rem; height: .75rem; border: 1px solid var(--soft); border-radius: .1875rem; }
.defs { position: absolute; width: 0; height: 0; }
[data-chart] { color: var(--soft); min-height: 15rem; min-width: 0; overflow: hidden; }
.u-legend { font-size: .875rem; color: var(--text); margin: 0; text-align: left; }
.u-legend :is(th, td) { border: 0; }
.delivered { fill: var(--good); } .invalid { fill: var(--odd); } .skipped { fill: var(--skipped); }
.duplicate { fill: var(--duplicate); } .refused, .exhausted { fill: var(--bad); } .unknown { fill: var(--unknown); }
.pending { fill: var(--pending); }
@media (max-width: 40rem) {
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
