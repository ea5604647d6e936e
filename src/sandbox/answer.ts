/**
 * Answers of the sandbox. The interface shows no error status and no error body (interface.md, "Errors"): statuses are
 * those of RFC 9110, and `--errors` selects the shape of the body.
 */
import type { ServerResponse } from 'node:http';
import { escapeHtml } from '../lib/text.ts';

/**
 * - `object`: `{"success":false,"error":{"code":"…","message":"…"}}`
 * - `flat`: `{"success":false,"message":"…"}`
 * - `problem`: RFC 9457, `application/problem+json`
 * - `text`: the message
 * - `html`: a page, as proxies send it
 * - `empty`: no body
 */
export const ERROR_SHAPES = ['object', 'flat', 'problem', 'text', 'html', 'empty'] as const;

type Headers = Readonly<Record<string, string>>;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  /** Of an error, whatever the shape of its body. */
  readonly error?: { readonly code: string; readonly message: string };
}

export function isAnswer<T extends object>(value: T | Answer): value is Answer {
  return 'status' in value;
}

export function jsonAnswer(status: number, value: unknown, headers: Headers = {}): Answer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(value) };
}

export function errorAnswer(status: number, code: string, message: string, headers: Headers = {}): Answer {
  const error = { code, message };
  return { ...jsonAnswer(status, { success: false, error }, headers), error };
}

export function wrongMethod(allow: string): Answer {
  return errorAnswer(405, 'method_not_allowed', `The method must be ${allow}.`, { allow });
}

/** Gives the body of an error one of the usual shapes, including those of proxies: a client must handle all of them. */
export function withErrorShape(answer: Answer, shape: (typeof ERROR_SHAPES)[number]): Answer {
  const { status, headers, error } = answer;
  if (error === undefined || shape === 'object') return answer;
  const { code, message } = error;
  if (shape === 'empty') {
    const { 'content-type': _none, ...others } = headers;
    return { status, headers: others, body: '' };
  }
  const problem = { type: 'about:blank', title: code.replaceAll('_', ' '), status, detail: message };
  const [type, body] = {
    flat: ['application/json', JSON.stringify({ success: false, message })],
    problem: ['application/problem+json', JSON.stringify(problem)],
    text: ['text/plain; charset=utf-8', `${message}\n`],
    html: ['text/html; charset=utf-8', htmlPage(String(status), message)],
  }[shape] as [string, string];
  return { status, headers: { ...headers, 'content-type': type }, body };
}

/** A small page, as proxies and captive portals send it. */
export function htmlPage(title: string, text: string): string {
  const [heading, words] = [escapeHtml(title), escapeHtml(text)];
  return `<!doctype html>\n<title>${heading}</title>\n<h1>${heading}</h1>\n<p>${words}</p>\n`;
}

/** Sends the whole answer, unless the connection is closed. */
export function sendAnswer(response: ServerResponse, answer: Answer): void {
  if (response.destroyed || response.headersSent) return;
  writeHead(response, answer);
  response.end(answer.body);
}

/** Sends the headers of an answer only. */
export function sendHeaders(response: ServerResponse, answer: Answer): void {
  writeHead(response, answer);
  response.flushHeaders();
}

function writeHead(response: ServerResponse, { status, headers, body }: Answer): void {
  // RFC 9110, 8.6: no Content-Length in an answer without a body.
  const hasBody = status !== 204 && status >= 200;
  response.writeHead(status, hasBody ? { ...headers, 'content-length': String(Buffer.byteLength(body)) } : headers);
}
