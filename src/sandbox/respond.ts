/** How answers leave: plainly, or with one of the faults of {@link InjectedFault}. */
import type { ServerResponse } from 'node:http';
import type { Answer } from './answer.ts';
import type { InjectedFault } from './logged-request.ts';

/** Between the headers of an answer and a reset: on loopback enough for the client to have read them. */
const RESET_AFTER_MS = 20;

/** Sends the answer, or departs from it as `behaviour` says. */
export function respond(
  response: ServerResponse,
  answer: Answer,
  behaviour: InjectedFault | undefined,
): void {
  const { latencyMs = 0, ...departure } = behaviour ?? {};
  if (latencyMs === 0) {
    depart(response, answer, departure);
  } else {
    const timer = setTimeout(() => depart(response, answer, departure), latencyMs);
    response.once('close', () => clearTimeout(timer));
  }
}

function depart(response: ServerResponse, answer: Answer, behaviour: Partial<InjectedFault>): void {
  if (response.destroyed) return;
  if ('hang' in behaviour) {
    if (behaviour.hang === 'after-headers') sendHeaders(response, answer);
  } else if ('reset' in behaviour) {
    if (behaviour.reset === 'before') {
      response.socket?.resetAndDestroy();
    } else {
      sendHeaders(response, answer);
      setTimeout(() => response.socket?.resetAndDestroy(), RESET_AFTER_MS);
    }
  } else if (!('cut' in behaviour)) {
    send(response, answer);
  } else {
    sendHeaders(response, answer);
    const half = answer.body.slice(0, Math.floor(answer.body.length / 2));
    response.write(half, () => response.destroy());
  }
}

/** Sends the whole answer, where there still is somebody to send it to. */
export function send(response: ServerResponse, answer: Answer): void {
  // The client may have hung up in the meantime, or been cut off by close().
  if (response.destroyed || response.headersSent) return;
  writeHead(response, answer);
  response.end(answer.body);
}

/** The answer's headers go out at once; its body does not follow here. */
function sendHeaders(response: ServerResponse, answer: Answer): void {
  writeHead(response, answer);
  response.flushHeaders();
}

function writeHead(response: ServerResponse, { status, headers, body }: Answer): void {
  // RFC 9110, 8.6: no length in an answer that has no body.
  const bodiless = status === 204 || status < 200;
  response.writeHead(
    status,
    bodiless ? headers : { ...headers, 'content-length': String(Buffer.byteLength(body)) },
  );
}
