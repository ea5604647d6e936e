/** Answers of the sandbox. The API has no error statuses and bodies (interface.md, "Errors"): these are of RFC 9110. */
import type { ServerResponse } from 'node:http';

type Headers = Readonly<Record<string, string>>;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

export function isAnswer<T extends object>(value: T | Answer): value is Answer {
  return 'status' in value;
}

export function jsonAnswer(status: number, value: unknown, headers: Headers = {}): Answer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(value) };
}

export function errorAnswer(status: number, code: string, message: string, headers: Headers = {}): Answer {
  return jsonAnswer(status, { success: false, error: { code, message } }, headers);
}

export function wrongMethod(allow: string): Answer {
  return errorAnswer(405, 'method_not_allowed', `The method must be ${allow}.`, { allow });
}

/** Sends the whole answer, unless the connection is closed. */
export function sendAnswer(response: ServerResponse, answer: Answer): void {
  if (response.destroyed || response.headersSent) return;
  writeHead(response, answer);
  response.end(answer.body);
}

export function sendHeaders(response: ServerResponse, answer: Answer): void {
  writeHead(response, answer);
  response.flushHeaders();
}

function writeHead(response: ServerResponse, { status, headers, body }: Answer): void {
  // RFC 9110, 8.6: no Content-Length in an answer without a body.
  const hasBody = status !== 204 && status >= 200;
  response.writeHead(status, hasBody ? { ...headers, 'content-length': String(Buffer.byteLength(body)) } : headers);
}
