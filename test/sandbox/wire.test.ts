/** Every case of fixtures/wire against the real server. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/index.ts';
import { call, lines } from '../support/sandbox-client.ts';

/** As fixtures/wire/README.md describes it. */
interface Case {
  readonly about: string;
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly repeat?: number;
  readonly body?: unknown;
  readonly expect: {
    readonly status: number;
    readonly stats?: Readonly<Record<string, number>>;
    readonly promotedToPipeline?: number;
    readonly stored?: number;
    readonly code?: string;
    readonly headers?: Readonly<Record<string, string>>;
  };
}

const KEY = 'a-key-for-tests';
const folder = path.join(import.meta.dirname, '..', '..', 'fixtures', 'wire');
const cases = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.json'))
  .map((name) => name.replaceAll('\\', '/').slice(0, -'.json'.length))
  .sort();

test('finds the cases', () => {
  expect(cases.length).toBeGreaterThan(90);
});

test.each(cases)('%s', async (name) => {
  const wire = JSON.parse(readFileSync(path.join(folder, `${name}.json`), 'utf8')) as Case;
  const sandbox = await startSandbox({ key: KEY });
  try {
    const body = bodyOf(wire);
    const reply = await call(`${sandbox.url}${wire.path}`, {
      method: wire.method ?? 'POST',
      headers: headersOf(wire),
      ...(body === undefined ? {} : { body }),
    });
    const said = JSON.parse(reply.text) as Record<string, unknown>;
    const wanted = wire.expect;

    expect(reply.status, reply.text).toBe(wanted.status);
    expect(reply.headers).toMatchObject(wanted.headers ?? {});
    expect(reply.headers['content-type']).toBe('application/json');
    if (wanted.status === 200) {
      expect(said['batchId']).toMatch(/./);
      expect(said).toStrictEqual({
        success: true,
        batchId: said['batchId'],
        ...(wanted.stats === undefined ? {} : { stats: wanted.stats }),
        ...(wanted.promotedToPipeline === undefined ? {} : { promotedToPipeline: wanted.promotedToPipeline }),
      });
    } else {
      expect(said).toStrictEqual({ success: false, error: { code: wanted.code, message: expect.any(String) } });
    }

    const kept = lines((await call(`${sandbox.url}/sandbox/records`)).text);
    const stored = wanted.stats?.['accepted'] ?? wanted.stored ?? 0;
    expect(kept.filter(({ status }) => status === 'accepted')).toHaveLength(stored);
  } finally {
    await sandbox.close();
  }
});

function headersOf({ headers = {} }: Case): Record<string, string> {
  const all: Record<string, string | null> = {
    Authorization: 'Bearer {key}',
    'Content-Type': 'application/json',
    ...headers,
  };
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) =>
      value === null ? [] : [[name, value.replace('{key}', KEY)] as const],
    ),
  );
}

function bodyOf({ body, repeat }: Case): string | undefined {
  if (body === undefined || typeof body === 'string') return body;
  if (repeat === undefined) return JSON.stringify(body);
  const [envelope, elements] = Object.entries(body as Record<string, unknown[]>)[0] ?? ['', []];
  const one = JSON.stringify(elements[0]);
  const all = Array.from({ length: repeat }, (_, index) => one.replaceAll('{n}', String(index + 1)));
  return `{"${envelope}":[${all.join(',')}]}`;
}
