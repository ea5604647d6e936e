/**
 * The sandbox's own paths, which show what arrived (docs/sandbox.md, "What arrived"). They need no key but accept clients on this
 * machine only.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { contracts } from '../contract/index.ts';
import { command, type Html, html, htmlSection, PAGE_STYLE, pagePolicy, trusted } from '../lib/page.ts';
import { shellWith } from '../lib/shell.ts';
import { capitalised } from '../lib/text.ts';
import { count, plural } from '../lib/units.ts';
import { type Answer, errorAnswer, isAnswer, jsonAnswer, sendAnswer, wrongMethod } from './answer.ts';
import { countRequests, type LoggedRequest, RESULTS, type Store } from './store.ts';

type Content = Answer | Iterable<string | Buffer>;

interface Route {
  readonly method: 'GET' | 'POST';
  readonly answer: (target: ControlRequest, request: IncomingMessage) => Content;
}

const ROUTES: ReadonlyMap<string, Route> = new Map<string, Route>([
  ['/', { method: 'GET', answer: page }],
  ['/sandbox/records', { method: 'GET', answer: records }],
  ['/sandbox/requests', { method: 'GET', answer: ({ store }) => requests(store) }],
  ['/sandbox/reset', { method: 'POST', answer: reset }],
]);

/**
 * Whether a request is for the sandbox itself, not for the service. For `/` only reads are: a client that posts to it has a wrong
 * base URL.
 */
export function isControl(method: string, path: string): boolean {
  return path.startsWith('/sandbox/') || (ROUTES.has(path) && (method === 'GET' || method === 'HEAD'));
}

interface ControlRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly store: Store;
  readonly key: string;
}

/** Answers a request for which {@link isControl} holds. Rejects if the answer cannot be computed. */
export async function control(
  request: IncomingMessage,
  response: ServerResponse,
  target: ControlRequest,
): Promise<void> {
  const content = contentOf(request, target);
  if (isAnswer(content)) {
    sendAnswer(response, content);
    return;
  }
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  if (request.method === 'HEAD') response.end();
  else Readable.from(content).pipe(response);
}

function contentOf(request: IncomingMessage, target: ControlRequest): Content {
  const route = ROUTES.get(target.path);
  if (route === undefined) {
    const paths = [...ROUTES.keys()].filter((known) => known.startsWith('/sandbox/')).join(', ');
    return errorAnswer(404, 'not_found', `Unknown path. The paths are ${paths}.`);
  }
  if (!isLocal(request)) {
    return errorAnswer(403, 'forbidden', 'Only clients on this machine have access.');
  }
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  return method === route.method ? route.answer(target, request) : wrongMethod(route.method);
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?$/i;

/**
 * Records are personal data, and web pages can send requests to this machine. A page that reached it by DNS rebinding has its
 * own name in Host, and any other page has its own in Origin.
 */
function isLocal({ socket, headers }: IncomingMessage): boolean {
  const address = socket.remoteAddress ?? '';
  const { host = '', origin } = headers;
  return (
    /^(?:(?:::ffff:)?127\.|::1$)/.test(address) &&
    LOOPBACK.test(host) &&
    (origin === undefined || origin === `http://${host}`)
  );
}

function page({ query, store, key }: ControlRequest, { headers: { host = '' } }: IncomingMessage): Answer {
  return pageOf(store.requests, { baseUrl: `http://${host}`, key, before: Number(query.get('before') ?? Infinity) });
}

function reset({ store }: ControlRequest): Answer {
  store.clear();
  return jsonAnswer(200, { success: true });
}

function records({ query, store }: ControlRequest): Content {
  if (!store.keepsRecords) return errorAnswer(404, 'not_kept', 'This sandbox does not keep records.');
  return store.recordLines(query.get('n'));
}

function requests(store: Store): Iterable<string> {
  return store.requests.map((request) => `${JSON.stringify(request)}\n`);
}

// The page at `/`. It has no script: the browser loads it again.

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
function pageOf(requests: readonly LoggedRequest[], { baseUrl, key, before }: PageOptions): Answer {
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
