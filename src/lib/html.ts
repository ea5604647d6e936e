/** Markup that is escaped unless it was made here. */
import { printable } from './printable.ts';
import { escapeHtml } from './text.ts';

/** Markup and styles that are constants of this program, or made by {@link html}. */
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

function render(value: Value): string {
  if (value === undefined) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'string') return escapeHtml(printable(value));
  return typeof value === 'number' ? String(value) : value.map(render).join('');
}
