/**
 * A proxy in front of the sandbox that knows the interface from its OpenAPI document alone. It judges with a
 * validator that is none of ours (openapi-backend), so that sandbox, uploader and document are held against each
 * other by somebody who shares no line with them.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { Context, Request } from 'openapi-backend';
import { listen } from './listen.ts';
import { call } from './sandbox-client.ts';
import { judgeOf } from './wire-judge.ts';

/** What the gateway made of one request. */
export interface Verdict {
  /** `passed`, or why the request was not let through, or what the service answered against its document. */
  readonly about: 'passed' | 'request' | 'key' | 'path' | 'answer';
  /** Where and why, in the validator's words. */
  readonly errors: readonly string[];
}

export interface Gateway {
  readonly url: string;
  readonly verdicts: readonly Verdict[];
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** Starts it in front of `service`, with the document that the service itself serves. It ends with the test. */
export async function gateway(service: string): Promise<Gateway> {
  const verdicts: Verdict[] = [];
  const conclude = (about: Verdict['about'], status: number, errors: unknown = []): Answer => {
    const texts = Array.isArray(errors) ? errors.map(({ instancePath, message }) => `${instancePath} ${message}`) : [];
    verdicts.push({ about, errors: texts });
    return { status, body: JSON.stringify({ about, errors: texts }) };
  };
  const forward = async ({ request, operation, api }: Context): Promise<Answer> => {
    const reply = await call(`${service}${request.path}`, {
      method: request.method,
      headers: {
        authorization: String(request.headers['authorization']),
        'content-type': String(request.headers['content-type']),
      },
      body: String(request.body),
    });
    const judged = api.validateResponse(JSON.parse(reply.text), operation, reply.status);
    if (judged.errors) return conclude('answer', 502, judged.errors);
    verdicts.push({ about: 'passed', errors: [] });
    return { status: reply.status, body: reply.text };
  };

  const judge = await judgeOf(JSON.parse((await call(`${service}/openapi.json`)).text));
  for (const { operationId } of judge.router.getOperations()) judge.register(String(operationId), forward);
  judge.register({
    validationFail: ({ validation }: Context) => conclude('request', 400, validation.errors),
    unauthorizedHandler: () => conclude('key', 401),
    notFound: () => conclude('path', 404),
    methodNotAllowed: () => conclude('path', 405),
  });
  // The document says that a key is wanted and how it is written; whether it is the right one, the service says.
  judge.registerSecurityHandler('apiKey', ({ request }: Context) =>
    /^Bearer \S+$/.test(String(request.headers['authorization'])),
  );

  const server = createServer((request, response) => {
    void read(request)
      .then((read) => judge.handleRequest(read))
      .then(({ status, body }: Answer) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(body);
      });
  });
  return { url: `http://127.0.0.1:${await listen(server)}`, verdicts };
}

async function read(request: IncomingMessage): Promise<Request> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { method = '', url = '', headers } = request;
  const given = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  return {
    method,
    path: url,
    headers: Object.fromEntries(given),
    body: Buffer.concat(chunks).toString('utf8'),
  };
}
