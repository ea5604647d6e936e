/** A plain HTTP client for the tests of the sandbox: node:http alone, and nothing that adds headers of its own. */
import { type Agent, request } from 'node:http';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
  /** Whether the connection had carried a request before. */
  readonly reused: boolean;
}

export interface Call {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly agent?: Agent;
  /** Called with the status when the headers are there, before the body. */
  readonly onHeaders?: (status: number) => void;
}

/** Rejects where the connection ends before the whole answer has arrived. */
export function call(url: string, { method = 'GET', headers = {}, body, agent, onHeaders }: Call = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers, ...(agent === undefined ? {} : { agent }) }, (response) => {
      const status = response.statusCode ?? 0;
      onHeaders?.(status);
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('error', reject);
      response.on('end', () => resolve({ status, headers: response.headers, text, reused: outgoing.reusedSocket }));
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** A call of an operation as the API wants it. */
export function post(url: string, key: string, body: unknown, more: Partial<Call> = {}): Promise<Reply> {
  return call(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...more,
  });
}

/** The objects of an NDJSON answer. */
export function lines(text: string): Record<string, unknown>[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** A value as JSON has it: without properties that are undefined. */
export function asJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
