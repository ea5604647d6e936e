/** HTML that is escaped unless it was made here, the parts that several sections use, and the style: light on paper. */
import { PAGE_STYLE } from '../lib/page.ts';
import { printable } from '../lib/printable.ts';
import { escapeHtml } from '../lib/text.ts';
import { count } from '../lib/units.ts';

/** Markup. Only {@link html} and {@link trusted} make it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = string | number | undefined | Html | readonly Value[];

/** Markup with values: strings are escaped, arrays are joined, undefined is nothing. Attributes must be quoted. */
export function html(markup: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(markup.map((piece, index) => piece + render(values[index])).join(''));
}

/** Markup, styles and scripts that are constants of this program. */
export function trusted(text: string): Html {
  return new Html(text);
}

/** Data for the page's script: nothing in it can end the script element or open a comment. */
export function jsonElement(id: string, data: unknown): Html {
  const json = JSON.stringify(data).replaceAll('<', '\\u003c');
  return html`<script type="application/json" id="${id}">${trusted(json)}</script>`;
}

function render(value: Value): string {
  if (value === undefined) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'string') return escapeHtml(printable(value));
  return typeof value === 'number' ? String(value) : value.map(render).join('');
}

/** `name`: never broken. `number`: right-aligned. `wide`: text that needs space and may be broken anywhere. */
type ColumnKind = 'text' | 'name' | 'number' | 'time' | 'wide';

type Cell = string | number | Html;

/**
 * A table that scrolls within itself, also with the keyboard. The first cell of each row is its header. Numbers are
 * grouped: 12,345.
 *
 * @param columns the kinds of the columns, by their headings
 * @param tall long: it scrolls within a limited height
 */
export function htmlTable(
  caption: string,
  columns: Readonly<Record<string, ColumnKind>>,
  rows: readonly (readonly Cell[])[],
  tall?: 'tall',
): Html {
  const kinds = Object.values(columns);
  const cell = (value: Cell, index: number): Html => {
    const text = typeof value === 'number' ? count(value) : value;
    const kind = kinds[index];
    return index === 0 ? html`<th scope="row" class="${kind}">${text}</th>` : html`<td class="${kind}">${text}</td>`;
  };
  const heads = Object.entries(columns).map(([name, kind]) => html`<th scope="col" class="${kind}">${name}</th>`);
  return html`<div class="scroll ${tall}" tabindex="0" role="region" aria-label="${caption}"><table>
<caption>${caption}</caption>
<thead><tr>${heads}</tr></thead>
<tbody>
${rows.map((row) => html`<tr>${row.map(cell)}</tr>\n`)}</tbody>
</table></div>
`;
}

export function htmlSection(id: string, heading: string, ...content: readonly (Html | undefined)[]): Html {
  return html`<section aria-labelledby="h-${id}">
<h2 id="h-${id}">${heading}</h2>
${content}</section>
`;
}

/** Text that the user opens. @param onPaper whether it is printed too */
export function fold(summary: string | Html, content: Html, onPaper = false): Html {
  return html`<details${onPaper ? html` data-print` : undefined}><summary>${summary}</summary>
${content}</details>
`;
}

export function command(text: string): Html {
  return html`<div class="command"><code>${text}</code><button type="button" data-copy hidden>Copy</button></div>
`;
}

export function paragraphs(sentences: readonly string[]): Html {
  return html`${sentences.map((sentence) => html`<p>${sentence}</p>\n`)}`;
}

/** Lines of a text, with their indentation. */
export function preformatted(text: string, label: string): Html {
  const lines = text.trimEnd().split('\n');
  const [first = '', ...others] = lines;
  return html`<pre tabindex="0" role="region" aria-label="${label}">${first}${others.map((line) => html`\n${line}`)}</pre>
`;
}

/** `2026-11-20 09:15:02`, in UTC. */
export function utc(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 19)}`;
}

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
