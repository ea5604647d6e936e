/**
 * The page at `/`, which shows what arrived: markup here, style and script in page-style.ts and page-script.ts. They are
 * strings in modules, not files, so that they are part of any bundle. The content security policy allows only this
 * page's own script and style.
 */
import { createHash } from 'node:crypto';
import type { Answer } from '../answer.ts';
import { SCRIPT } from './page-script.ts';
import { STYLE } from './page-style.ts';

const number = (id: string, label: string): string => `<div><dt>${label}</dt><dd id="n-${id}">0</dd></div>`;

/** @param kind the class `counts` if all columns but the first are numbers */
function table(id: string, columns: readonly string[], kind = ''): string {
  const head = columns.map((column) => `<th scope="col">${column}</th>`).join('');
  return `<table class="${kind}" aria-labelledby="h-${id}"><thead><tr>${head}</tr></thead><tbody id="${id}"></tbody></table>`;
}

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
<p><code>SIGNALS_API_KEY=<i>key</i> npx signals upload --base-url <span class="base"></span> FILE</code></p>
<p class="soft">The key is printed in the sandbox's terminal.</p>
<noscript><p>This page needs JavaScript. <a href="/sandbox/summary">/sandbox/summary</a> has the same data.</p></noscript>
</section>
</main>
<main id="main" hidden>
<section class="wide" aria-label="Numbers">
<dl class="numbers">
${number('batches', 'batches processed')}
${number('accepted', 'signals accepted')}
${number('deduplicated', 'signals deduplicated')}
${number('rejected', 'signals rejected')}
${number('events', 'events accepted')}
${number('invalid', 'events dropped')}
${number('promoted', 'events promoted')}
${number('contacts', 'contacts resolved')}
${number('qualified', 'ICP-qualified records')}
${number('refused', 'failed requests')}
</dl>
</section>
<section data-when hidden>
<h2 id="h-families">Families</h2>
${table('families', ['family', 'signals'], 'counts')}
</section>
<section data-when hidden>
<h2 id="h-accounts">Matched accounts</h2>
${table('accounts', ['account', 'signals', 'events', 'deals'], 'counts')}
<p class="soft" id="unmatched"></p>
</section>
<section class="wide" data-when hidden>
<h2 id="h-promotions">Promoted to deals</h2>
${table('promotions', ['time', 'deal', 'event', 'account', 'reason'])}
</section>
<section class="wide" data-when hidden>
<h2 id="h-last">Last records</h2>
${table('last', ['time', 'result', 'title', 'company', 'family, warmth, reason', 'account', 'ICP'])}
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

function source(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

const POLICY = [
  "default-src 'none'",
  `style-src ${source(STYLE)}`,
  `script-src ${source(SCRIPT)}`,
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const PAGE: Answer = {
  status: 200,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  },
  body: MARKUP,
};
