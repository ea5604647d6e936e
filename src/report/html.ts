/** The parts that several sections of the report use, and its style: light on paper. */
import { type Html, html, PAGE_STYLE } from '../lib/page.ts';
import { count } from '../lib/units.ts';

/** `name`: never broken. `number`: right-aligned. `wide`: text that may be broken. */
type ColumnKind = 'name' | 'number' | 'wide';

type Cell = string | number | Html;

/** A table whose columns need no names. The first cell of each row is its header. Numbers are grouped: 12,345. */
export function htmlTable(label: string, kinds: readonly ColumnKind[], rows: readonly (readonly Cell[])[]): Html {
  const cell = (value: Cell, index: number): Html => {
    const text = typeof value === 'number' ? count(value) : value;
    const kind = kinds[index];
    return index === 0 ? html`<th scope="row" class="${kind}">${text}</th>` : html`<td class="${kind}">${text}</td>`;
  };
  return html`<table aria-label="${label}">
<tbody>
${rows.map((row) => html`<tr>${row.map(cell)}</tr>\n`)}</tbody>
</table>
`;
}

/** Text that the user opens. */
export function fold(summary: string, content: Html): Html {
  return html`<details><summary>${summary}</summary>
${content}</details>
`;
}

/** Lines of a text, with their indentation. */
export function preformatted(text: string): Html {
  const [first = '', ...others] = text.trimEnd().split('\n');
  return html`<pre>${first}${others.map((line) => html`\n${line}`)}</pre>
`;
}

/** `2026-11-20 09:15:02`, in UTC. */
export function utc(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 19)}`;
}

const LIGHT = '--skipped: #6e7781; --duplicate: #8250df; --unknown: #bf3989; --pending: #0969da; --unread: #c8cfd7;';
const DARK = '--skipped: #8b949e; --duplicate: #bc8cff; --unknown: #f778ba; --pending: #58a6ff; --unread: #414b57;';

export const STYLE = `${PAGE_STYLE}
:root { ${LIGHT} }
@media screen and (prefers-color-scheme: dark) { :root { ${DARK} } }
h1 { font-size: 1.5rem; line-height: 1.3; margin: 0 0 .5rem; }
h1, p, li { overflow-wrap: anywhere; }
ul { margin: 0 0 .75rem; padding-left: 1.25rem; }
.small { font-size: .875rem; }
.lead { font-size: 1.125rem; margin-bottom: .25rem; }
.figures { display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); gap: 1rem; margin: 0; }
.figures > div { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .75rem 1rem; }
.figures b { display: block; font-size: 1.5rem; line-height: 1.3; font-variant-numeric: tabular-nums; }
.figures .soft { font-size: .875rem; }
table { margin-bottom: .75rem; }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.name, time { white-space: nowrap; }
.reasons th, .reasons td { border-bottom: 0; padding-top: .125rem; padding-bottom: .125rem; }
.reasons tbody + tbody th { padding-top: .75rem; }
.reasons { table-layout: fixed; }
.reasons td:first-child { color: var(--soft); padding-left: .75rem; }
.settings { display: grid; grid-template-columns: minmax(7rem, max-content) minmax(0, 1fr); gap: .25rem 1rem; }
.bar { display: block; width: 100%; height: 2rem; margin-bottom: .75rem; border-radius: .375rem; }
.bar rect { stroke: var(--card); stroke-width: 1; }
.swatch { width: 1rem; height: 1rem; vertical-align: -.125rem; margin-right: .5rem; border-radius: .1875rem; }
.delivered { fill: var(--good); } .corrected { fill: var(--link); } .invalid { fill: var(--odd); }
.rejected, .refused { fill: var(--bad); } .exhausted { fill: var(--bad); fill-opacity: .6; }
.skipped { fill: var(--skipped); } .duplicate { fill: var(--duplicate); } .unknown { fill: var(--unknown); }
.pending { fill: var(--pending); } .unread { fill: var(--unread); }
figure { margin: 0; }
.chart { display: block; width: 100%; font-size: .8125rem; }
.chart text { fill: var(--soft); paint-order: stroke; stroke: var(--card); stroke-width: 3px; }
.chart line { stroke: var(--line); } .chart .axis { stroke: var(--soft); }
.chart .tick { text-anchor: middle; } .chart .in-flight-label { text-anchor: end; fill: var(--link); }
.rate { fill: var(--good); fill-opacity: .55; }
.chart .in-flight { fill: none; stroke: var(--link); stroke-width: 1px; vector-effect: non-scaling-stroke; }
.swatch .in-flight { fill: var(--link); }
.outage { fill: var(--bad); fill-opacity: .25; } .wait { fill: var(--odd); fill-opacity: .3; }
.chart .resumed { stroke: var(--text); } .swatch .resumed { fill: var(--text); }
figcaption { font-size: .875rem; }
.key { display: inline-block; margin-right: 1.25rem; }
@media (max-width: 40rem) {
  h1 { font-size: 1.25rem; }
  .figures { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: .5rem; }
  .settings { grid-template-columns: minmax(0, 1fr); gap: 0; }
  dd { margin-bottom: .25rem; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; }
}
@media print {
  :root { color-scheme: light; }
  body { background: #fff; font-size: 11pt; }
  section { border: 0; border-top: 1px solid var(--line); border-radius: 0; padding: .75rem 0 0; }
  figure, tr, .command { break-inside: avoid; }
  h2 { break-after: avoid; }
  * { print-color-adjust: exact; }
}
`;
