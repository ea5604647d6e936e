/** Handles one request: reads it, decides the answer, logs it, and sends the answer, in this order. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DigestOf } from '../lib/digest.ts';
import { messageOf } from '../lib/text.ts';
import { errorAnswer, withErrorShape } from './answer.ts';
import { DEFAULT_BEHAVIOUR } from './behaviour-options.ts';
import { control, isControl } from './control.ts';
import { effectOf } from './fault.ts';
import { type LoggedRequest, PATH_LIMIT } from './logged-request.ts';
import { readBody } from './read-body.ts';
import { respond, send } from './respond.ts';
import { createService, type ServiceOptions, TYPE_BY_PATH } from './service.ts';
import type { Store } from './store.ts';

interface Handler {
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** From now on nothing is logged or answered: the connections are about to be closed. */
  stop(): void;
}

export function createHandler(options: ServiceOptions, store: Store, digestOf: DigestOf): Handler {
  const { maxBody, errors } = { ...DEFAULT_BEHAVIOUR, ...options.behaviour };
  const service = createService(options, store);
  let lastNumber = store.lastNumber;
  let stopped = false;

  const serve = async (
    request: IncomingMessage,
    response: ServerResponse,
    arrival: Pick<LoggedRequest, 'n' | 'time' | 'at' | 'method' | 'path' | 'type'>,
  ): Promise<void> => {
    const { end, body, bytes } = await readBody(request, maxBody);
    if (stopped) return;
    if (end === 'aborted') {
      store.add({ ...arrival, status: null, records: 0, bytes, processed: false }, () => [], []);
      return;
    }
    const { n, method, type } = arrival;
    const served = service({ n, method, type, headers: request.headers, body });
    const { fault } = served;
    const effect = fault && effectOf(fault);
    const answer = withErrorShape(served.answer, errors);
    const logged: LoggedRequest = {
      ...arrival,
      status: effect?.isAnswered === false ? null : answer.status,
      bytes,
      ...served.logged,
      digest: body && digestOf(body),
      fault: effect?.kind,
    };
    store.add(logged, served.records, served.newKeys);
    if (end === 'unread') {
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
      // RFC 9112, 3.2.2: a server also accepts an absolute URL, which clients send to proxies.
      const target = request.url?.replace(/^https?:\/\/[^/?#]*(?=\/)/i, '') ?? '';
      const [path = '', query = ''] = target.split('?', 2);
      const isForSandbox = isControl(method, path);
      if (isForSandbox) request.resume();
      const handled = isForSandbox
        ? control(request, response, path, new URLSearchParams(query), store)
        : serve(request, response, {
            n: ++lastNumber,
            time: new Date().toISOString(),
            at: performance.now(),
            method,
            path: path.slice(0, PATH_LIMIT),
            type: TYPE_BY_PATH.get(path),
          });
      // A bug of the sandbox, or a file that cannot be written.
      handled.catch((error: unknown) => {
        send(response, errorAnswer(500, 'internal', `The sandbox failed: ${messageOf(error)}.`));
      });
    },
    stop() {
      stopped = true;
    },
  };
}
