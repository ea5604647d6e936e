/** What an HTML page of this program is made of: markup that is escaped unless it was made here, a policy, and its look. */
import { createHash } from 'node:crypto';
import { printable } from './printable.ts';
import { escapeHtml } from './text.ts';

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

/** Markup and styles that are constants of this program. */
export function trusted(text: string): Html {
  return new Html(text);
}

function render(value: Value): string {
  if (value === undefined) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'string') return escapeHtml(printable(value));
  return typeof value === 'number' ? String(value) : value.map(render).join('');
}

export function command(text: string): Html {
  return html`<div class="command"><code>${text}</code></div>
`;
}

export function htmlSection(id: string, heading: string, ...content: readonly Value[]): Html {
  return html`<section aria-labelledby="h-${id}">
<h2 id="h-${id}">${heading}</h2>
${content}</section>
`;
}

/** The content security policy of a page with one style and no script. Pure. */
export function pagePolicy(style: string): string {
  const hash = createHash('sha256').update(style).digest('base64');
  return `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'`;
}

export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --back: #f5f6f8; --card: #ffffff; --text: #1b1f24; --soft: #57606a; --line: #d5dae0; --link: #0a58ca;
  --good: #1a7f37; --odd: #9a6700; --bad: #c62222;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --back: #0f1318; --card: #181e25; --text: #e6eaef; --soft: #9aa5b1; --line: #313943; --link: #6cb6ff;
    --good: #56d364; --odd: #e3b341; --bad: #ff7b72;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
header, main, footer { max-width: 64rem; margin: 0 auto; padding: 1rem; }
main { display: grid; gap: 1rem; padding-top: 0; }
h1 { font-size: 1.25rem; margin: 0; }
h2 { font-size: 1.125rem; margin: 0 0 .75rem; }
p { margin: 0 0 .75rem; }
section { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: 1rem; min-width: 0; }
section > :last-child { margin-bottom: 0; }
.soft { color: var(--soft); }
.is-good { color: var(--good); } .is-odd { color: var(--odd); } .is-bad { color: var(--bad); }
code, pre { font: .875em/1.5 ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }
code, summary, dd, th, td { overflow-wrap: anywhere; }
pre { margin: 0 0 .75rem; overflow-x: auto; padding: .75rem; background: var(--back); border-radius: .375rem; }
.command { margin: 0 0 .75rem; padding: .5rem .75rem; background: var(--back); border-radius: .375rem; }
.command code { user-select: all; }
table { width: 100%; border-collapse: collapse; font-size: .9375rem; }
th { text-align: left; font-weight: 600; }
th, td { padding: .375rem .75rem .375rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
tbody tr:last-child > * { border-bottom: 0; }
summary { cursor: pointer; padding: .375rem 0; }
dl { margin: 0 0 .75rem; }
dt { color: var(--soft); } dd { margin: 0; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
@media (max-width: 45rem) {
  header, main, footer, section { padding: .75rem; }
  main { padding-top: 0; }
  table { font-size: .875rem; }
  th, td { padding-right: .5rem; }
}
`;
