/** Handles one request: reads it, decides the answer, logs it, and sends the answer, in this order. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DigestOf } from '../lib/digest.ts';
import { messageOf } from '../lib/text.ts';
import { errorAnswer } from './answer.ts';
import { DEFAULT_BEHAVIOUR } from './behaviour-options.ts';
import { control, isControl } from './control.ts';
import { type AnswerOptions, createDecide, TYPE_BY_PATH } from './decide-answer.ts';
import { withErrorShape } from './error-body.ts';
import { kindOf, preventsAnswer } from './injected-fault.ts';
import { type LoggedRequest, PATH_LIMIT } from './logged-request.ts';
import { readBody } from './read-body.ts';
import { respond, send } from './respond.ts';
import type { Store } from './store.ts';

export interface Handler {
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** From now on nothing is logged or answered: the connections are about to be closed. */
  stop(): void;
}

/** A request of the service, before its body is read. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly arrival: Pick<LoggedRequest, 'n' | 'time' | 'at' | 'method' | 'path' | 'type'>;
}

export function createHandler(options: AnswerOptions, store: Store, digestOf: DigestOf): Handler {
  const { maxBody, errors } = { ...DEFAULT_BEHAVIOUR, ...options.behaviour };
  const decide = createDecide(options, store);
  let lastNumber = store.lastNumber;
  let stopped = false;

  const serve = async ({ request, response, arrival }: Exchange): Promise<void> => {
    const received = await readBody(request, maxBody);
    if (stopped) return;
    const { bytes } = received;
    if (received.kind === 'aborted') {
      store.add({ ...arrival, status: null, records: 0, bytes, processed: false }, () => [], []);
      return;
    }
    const body = received.kind === 'complete' ? received.body : undefined;
    const { n, method, type } = arrival;
    const { headers } = request;
    const decision = decide({ n, method, type, headers, body });
    const { fault } = decision;
    const answer = withErrorShape(decision.answer, errors);
    const logged: LoggedRequest = {
      ...arrival,
      status: fault !== undefined && preventsAnswer(fault) ? null : answer.status,
      bytes,
      ...decision.logged,
      digest: body && digestOf(body),
      fault: fault && kindOf(fault),
    };
    store.add(logged, decision.records, decision.newKeys);
    if (received.kind === 'far-too-large') {
      // The unread rest of the body would be parsed as the next request.
      response.once('finish', () => request.destroy());
      send(response, { ...answer, headers: { ...answer.headers, connection: 'close' } });
    } else {
      respond(response, answer, fault);
    }
  };

  return {
    handle(request, response) {
      const method = request.method ?? '';
      const [path = '', query = ''] = targetOf(request).split('?', 2);
      if (isControl(method, path)) {
        request.resume();
        const parameters = new URLSearchParams(query);
        control(request, response, path, parameters, store).catch((error: unknown) => fail(response, error));
        return;
      }
      const arrival = {
        n: ++lastNumber,
        time: new Date().toISOString(),
        at: performance.now(),
        method,
        path: path.slice(0, PATH_LIMIT),
        type: TYPE_BY_PATH.get(path),
      };
      serve({ request, response, arrival }).catch((error: unknown) => fail(response, error));
    },
    stop() {
      stopped = true;
    },
  };
}

/** Reports a bug of the sandbox, or a file that cannot be written, to the client. */
function fail(response: ServerResponse, error: unknown): void {
  send(response, errorAnswer(500, 'internal', `The sandbox failed: ${messageOf(error)}.`));
}

/** Path and query. RFC 9112, 3.2.2: a server also accepts an absolute URL, as sent to proxies. */
function targetOf({ url = '' }: IncomingMessage): string {
  return url.replace(/^https?:\/\/[^/?#]*(?=\/)/i, '');
}
