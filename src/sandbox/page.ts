/** The page at `/`, which shows what arrived. It has no script: the browser loads it again. Pure. */
import { contracts } from '../contract/index.ts';
import { command, type Html, html, htmlSection, PAGE_STYLE, pagePolicy, trusted } from '../lib/page.ts';
import { shellWith } from '../lib/shell.ts';
import { capitalised } from '../lib/text.ts';
import { count, plural } from '../lib/units.ts';
import type { Answer } from './answer.ts';
import { countRequests, type LoggedRequest, RESULTS } from './store.ts';

const REFRESH_SECONDS = 2;

/** Maximum number of batches on a page, and of kinds of failures. */
const SHOWN = 25;

interface PageOptions {
  readonly baseUrl: string;
  readonly key: string;
  /** Shows only batches of requests with a smaller number. */
  readonly before: number;
}

/** @param requests in order of arrival */
export function pageOf(requests: readonly LoggedRequest[], { baseUrl, key, before }: PageOptions): Answer {
  const upload = shellWith('SIGNALS_API_KEY', key, `signals upload --base-url ${baseUrl} FILE`, 'posix').join('');
  const heading =
    requests.length === 0
      ? 'Nothing has arrived since the start or the last reset'
      : plural(requests.length, 'request');
  const body = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Signals sandbox</title>
<link rel="icon" href="data:,">
<style>${trusted(PAGE_STYLE)}</style>
</head>
<body>
<header><h1>Signals sandbox</h1></header>
<main>
${htmlSection('upload', heading, counts(requests), html`<p>To upload a file to it:</p>\n`, command(upload))}${batchSection(requests, before)}${failureSection(requests)}<section>
<p>All data: <a href="/sandbox/records">records</a>, <a href="/sandbox/requests">requests</a></p>
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
      // A page of older batches stays the same.
      ...(before === Infinity && { refresh: String(REFRESH_SECONDS) }),
    },
    body: body.text,
  };
}

/** What was stored, for the types that have arrived. */
function counts(requests: readonly LoggedRequest[]): readonly Html[] {
  return countRequests(requests)
    .filter(({ batches }) => batches > 0)
    .map(
      ({ title, batches, sums }) =>
        html`<p>${capitalised(title)}: ${plural(batches, 'batch', 'batches')}, ${sums}.</p>\n`,
    );
}

function batchSection(requests: readonly LoggedRequest[], before: number): Html | undefined {
  const batches = requests.filter(({ processed, type, n }) => processed && type !== undefined && n < before);
  if (batches.length === 0) return undefined;
  const shown = batches.slice(-SHOWN).toReversed();
  const older = batches.length - shown.length;
  const rows = shown.map((request) => [
    html`<a href="/sandbox/records?n=${request.n}">${request.n}</a>`,
    request.time.slice(11, 19),
    `${count(request.records)} ${request.type === undefined ? '' : contracts[request.type].envelope}`,
    resultOf(request),
  ]);
  return htmlSection(
    'batches',
    before === Infinity ? 'Last batches' : 'Older batches',
    table(['request', 'time (UTC)', 'records', 'result'], rows),
    older > 0
      ? html`<p><a href="/?before=${shown.at(-1)?.n}">${plural(older, 'older batch', 'older batches')}</a></p>\n`
      : undefined,
    before === Infinity ? undefined : html`<p><a href="/">the last batches</a></p>\n`,
  );
}

function resultOf(request: LoggedRequest): string {
  const results = RESULTS.flatMap((name) => (request[name] ? [`${count(request[name])} ${name}`] : []));
  // Each answer is late then.
  const fault = request.fault === 'latency' ? undefined : request.fault;
  return [...results, ...(fault === undefined ? [] : [`injected: ${fault}`])].join(', ');
}

/** Requests that stored nothing: those with the same path and answer together. */
function failureSection(requests: readonly LoggedRequest[]): Html | undefined {
  const groups = new Map<string, { readonly cells: readonly string[]; times: number; last: string }>();
  for (const { processed, type, method, path, status, fault, time } of requests) {
    if (processed && type !== undefined) continue;
    const cells = [`${method} ${path}`, `${status ?? 'none'}${fault === undefined ? '' : ` (injected: ${fault})`}`];
    const group = groups.get(cells.join(' ')) ?? { cells, times: 0, last: time };
    groups.set(cells.join(' '), { ...group, times: group.times + 1, last: time });
  }
  if (groups.size === 0) return undefined;
  const shown = [...groups.values()].sort((one, other) => other.times - one.times).slice(0, SHOWN);
  const rows = shown.map(({ cells, times, last }) => [count(times), ...cells, last.slice(11, 19)]);
  const columns = ['times', 'request', 'answer', 'last (UTC)'];
  return htmlSection('failures', 'Requests that stored nothing', table(columns, rows));
}

function table(columns: readonly string[], rows: readonly (readonly (string | Html)[])[]): Html {
  const head = columns.map((column) => html`<th scope="col">${column}</th>`);
  const body = rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>\n`);
  return html`<div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>\n`;
}
