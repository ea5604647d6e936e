/** Parts that several sections of the report use. */
import { count } from '../../lib/units.ts';
import { type Html, html } from './html.ts';

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
export function table(
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

export function section(id: string, heading: string, ...content: readonly (Html | undefined)[]): Html {
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
