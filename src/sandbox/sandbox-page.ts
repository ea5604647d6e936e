/** The page at `/`, which shows what arrived. It has no script: the browser loads it again every few seconds. */
import { PAGE_STYLE, pagePolicy } from '../lib/page.ts';
import { escapeHtml } from '../lib/text.ts';
import type { RecordType } from '../model/record.ts';
import type { Answer } from './answer.ts';
import { countRequests, type LoggedRequest } from './store.ts';

const REFRESH_SECONDS = 2;
/** Maximum number of requests that the page shows. */
const MAX_REQUESTS = 25;

/** @param requests in order of arrival */
export function pageOf(requests: readonly LoggedRequest[]): Answer {
  const { signals, social, failed } = countRequests(requests);
  const last = requests.slice(-MAX_REQUESTS).toReversed();
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Signals sandbox</title>
<link rel="icon" href="data:,">
<style>${PAGE_STYLE}</style>
</head>
<body>
<header><h1>Signals sandbox</h1></header>
<main>
<section>
<h2>${requests.length === 0 ? 'Nothing has arrived yet' : 'Results'}</h2>
${table(
  ['', 'batches', 'accepted', 'deduplicated', 'rejected or dropped', 'promoted'],
  [
    ['market signals', signals.batches, signals.accepted, signals.deduplicated, signals.rejected, ''],
    ['social events', social.batches, social.accepted, '', social.rejected, social.promoted],
  ],
)}
<p>Failed requests: ${failed}</p>
</section>
<section>
<h2>Last requests</h2>
${table(['request', 'time', 'what', 'answer', 'result'], last.map(requestCells))}
</section>
<section>
<p>All data: <a href="/sandbox/records">records</a>, <a href="/sandbox/requests">requests</a>,
<a href="/openapi.json">OpenAPI</a></p>
</section>
</main>
</body>
</html>
`;
  return {
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `${pagePolicy(PAGE_STYLE)}; frame-ancestors 'none'`,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      refresh: String(REFRESH_SECONDS),
    },
    body,
  };
}

type Cell = string | number;

const NOUNS: Readonly<Record<RecordType, string>> = { signals: 'signals', social: 'events' };

function requestCells(request: LoggedRequest): readonly Cell[] {
  const { n, time, method, path, type, status, records, fault } = request;
  const counts = (['accepted', 'deduplicated', 'rejected', 'promoted'] as const).flatMap((name) =>
    request[name] ? [`${request[name]} ${name}`] : [],
  );
  return [
    n,
    time.slice(11, 19),
    type === undefined ? `${method} ${path}` : `${records} ${NOUNS[type]}`,
    status ?? 'none',
    [...counts, ...(fault === undefined ? [] : [`injected: ${fault}`])].join(', '),
  ];
}

function table(columns: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const head = columns.map((column) => `<th scope="col">${column}</th>`).join('');
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${escapeHtml(String(cell))}</td>`).join('')}</tr>`);
  return `<div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>${body.join('\n')}</tbody></table></div>`;
}
