/** HTML that is escaped unless it was made here. Texts of files and of the service come in as plain strings. */
import { printable } from '../../lib/printable.ts';
import { escapeHtml } from '../../lib/text.ts';

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
