/** Sends answers, as they are or with an {@link InjectedFault}. */
import type { ServerResponse } from 'node:http';
import type { Answer } from './answer.ts';
import type { InjectedFault, LatencyFault } from './fault.ts';

/** Between the headers of an answer and a reset: on loopback, enough for the client to read them. */
const RESET_DELAY_MS = 20;

export function respond(response: ServerResponse, answer: Answer, fault: InjectedFault | undefined): void {
  const { latencyMs = 0 } = fault ?? {};
  if (latencyMs === 0) {
    sendWithFault(response, answer, fault);
  } else {
    const timer = setTimeout(() => sendWithFault(response, answer, fault), latencyMs);
    response.once('close', () => clearTimeout(timer));
  }
}

function sendWithFault(response: ServerResponse, answer: Answer, fault: InjectedFault | undefined): void {
  if (response.destroyed) return;
  if (fault === undefined || 'status' in fault) {
    send(response, answer);
  } else if ('hang' in fault) {
    if (fault.hang === 'after-headers') sendHeaders(response, answer);
  } else if ('reset' in fault) {
    if (fault.reset === 'before') {
      response.socket?.resetAndDestroy();
    } else {
      sendHeaders(response, answer);
      setTimeout(() => response.socket?.resetAndDestroy(), RESET_DELAY_MS);
    }
  } else if ('cut' in fault) {
    sendHeaders(response, answer);
    const half = answer.body.slice(0, Math.floor(answer.body.length / 2));
    response.write(half, () => response.destroy());
  } else {
    fault satisfies LatencyFault;
    send(response, answer);
  }
}

/** Sends the whole answer, unless the connection is closed. */
export function send(response: ServerResponse, answer: Answer): void {
  if (response.destroyed || response.headersSent) return;
  writeHead(response, answer);
  response.end(answer.body);
}

function sendHeaders(response: ServerResponse, answer: Answer): void {
  writeHead(response, answer);
  response.flushHeaders();
}

function writeHead(response: ServerResponse, { status, headers, body }: Answer): void {
  // RFC 9110, 8.6: no Content-Length in an answer without a body.
  const hasBody = status !== 204 && status >= 200;
  response.writeHead(status, hasBody ? { ...headers, 'content-length': String(Buffer.byteLength(body)) } : headers);
}
