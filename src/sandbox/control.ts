/**
 * The sandbox's own paths, for whoever wants to see what arrived. They need no key, but a client on this machine.
 *
 * - `GET /sandbox/requests`: every {@link RequestFact} so far as NDJSON, in the order of arrival.
 * - `GET /sandbox/records?type=signals|social`: every element received as NDJSON
 *   `{n, type, status: accepted|deduplicated|rejected, record}`, `n` being the request's number.
 * - `POST /sandbox/reset`: forgets records, duplicate keys and facts. Requests are numbered on, and the log file stays.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { recordTypes } from '../contract/index.ts';
import { answer, refusal, wrongMethod } from './answer.ts';
import type { RequestFact } from './facts.ts';
import type { Log } from './log.ts';
import type { Memory } from './memory.ts';
import { send } from './respond.ts';

/** Answers a request to a path below `/sandbox/`. */
export function control(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  query: URLSearchParams,
  log: Log,
  memory: Memory,
): void {
  const expected = path === '/sandbox/reset' ? 'POST' : 'GET';
  if (!['/sandbox/requests', '/sandbox/records', '/sandbox/reset'].includes(path)) {
    send(
      response,
      refusal(404, 'not_found', 'There are /sandbox/requests, /sandbox/records and /sandbox/reset.'),
    );
  } else if (!isLocal(request)) {
    send(response, refusal(403, 'forbidden', 'Only a client on this machine may do this.'));
  } else if (request.method !== expected) {
    send(response, wrongMethod([expected]));
  } else if (path === '/sandbox/reset') {
    memory.forget();
    log.forget();
    send(response, answer(200, { success: true }));
  } else if (path === '/sandbox/requests') {
    stream(response, factLines(log.facts()));
  } else {
    const type = query.get('type');
    const known = recordTypes.find((name) => name === type);
    if (type !== null && known === undefined) {
      send(response, refusal(400, 'invalid_type', `The type must be ${recordTypes.join(' or ')}.`));
      return;
    }
    const lines = memory.lines(known);
    if (lines === undefined) {
      send(response, refusal(404, 'not_kept', 'This sandbox was started without keeping records.'));
    } else {
      stream(response, lines);
    }
  }
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?$/i;

/**
 * Records are personal data, and a web page can send requests to this machine too. So the client must be on this
 * machine and must have meant it: a page that a foreign name leads here has that name in Host (DNS rebinding),
 * and any other page has its own in Origin.
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

function* factLines(facts: readonly RequestFact[]): Generator<string> {
  for (const fact of facts) yield `${JSON.stringify(fact)}\n`;
}

function stream(response: ServerResponse, lines: Iterable<string>): void {
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  Readable.from(lines).pipe(response);
}
