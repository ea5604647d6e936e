/**
 * A whole upload within the test's own process: real files, real HTTP, a real run folder. Only time is not real:
 * waits end at once, and the clock goes on by what they would have taken.
 */
import { mkdir, readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import path from 'node:path';
import { Readable } from 'node:stream';
import { HttpTransport } from '../../src/deliver/http.ts';
import type { Clock, DeliveryOptions } from '../../src/deliver/index.ts';
import { createRunFolder } from '../../src/journal/run-folder.ts';
import type { RunEvent } from '../../src/model/event.ts';
import type { RecordType } from '../../src/model/record.ts';
import type { RunState } from '../../src/model/run-state.ts';
import { planRun } from '../../src/plan/index.ts';
import { prepare } from '../../src/prepare/index.ts';
import { balance, exitCodeOf } from '../../src/report/run-summary.ts';
import { openRunFiles, type RunFiles } from '../../src/run/run-files.ts';
import { executeRun } from '../../src/run/upload-run.ts';
import { heldLock } from './held-lock.ts';
import { listen } from './listen.ts';
import { workspace, write } from './program.ts';
import { suggest } from './suggest.ts';

export interface Flow {
  readonly type: RecordType;
  readonly url: string;
  readonly key?: string;
  readonly rows?: number;
  readonly row?: (n: number) => string;
  readonly batchSize?: number;
  readonly timeoutMs?: number;
  readonly delivery?: Partial<DeliveryOptions>;
  /** Stands between the run and its files. */
  readonly between?: (runFiles: RunFiles) => RunFiles;
}

export interface Flowed {
  readonly runState: RunState;
  readonly exitCode: number;
  readonly balanced: boolean;
  readonly events: readonly RunEvent[];
  /** Path of the run folder. */
  readonly folder: string;
  /** Lines of a file of the run folder; none where it is not there. */
  lines(file: string): Promise<readonly string[]>;
}

const HEADERS: Readonly<Record<RecordType, string>> = {
  signals: 'company_name,company_domain,signal_name,source',
  social: 'platform,engagement_type,engager_name,company_domain',
};

export function rowOf(type: RecordType, n: number, name = `Name ${n}`): string {
  return type === 'signals'
    ? `${name},company${n}.example,Raised,funding`
    : `linkedin,like,${name},company${n}.example`;
}

export async function flow(scene: Flow): Promise<Flowed> {
  const { type, rows = 8, row = (n: number) => rowOf(type, n), timeoutMs = 5000 } = scene;
  const cwd = await workspace();
  const lines = Array.from({ length: rows }, (_, index) => row(index + 1));
  await write(cwd, 'in.csv', `${[HEADERS[type], ...lines].join('\n')}\n`);
  const plan = await planRun(
    {
      files: [path.join(cwd, 'in.csv')],
      suggest,
      type,
      variant: type === 'signals' ? 'a' : 'auto',
      columns: [],
      constants: [],
      decode: { maxRowBytes: 2 ** 20, ragged: 'reject' },
      batchSize: scene.batchSize ?? 4,
      maxBytes: 1_000_000,
      skip: 0,
      limit: Number.POSITIVE_INFINITY,
    },
    Readable.from([]),
  );
  await mkdir(path.join(cwd, 'runs'));
  const folder = createRunFolder(path.join(cwd, 'runs'), 'run');
  const runFiles = await openRunFiles(
    folder,
    {
      inputs: plan.job.inputs.map(({ source, detected: { format, columns, delimiter } }) => {
        return { source: source.name, format, columns: [...columns], delimiter };
      }),
      decode: {},
    },
    { fsync: false },
  );
  let skipped = 0;
  const clock: Clock = {
    now: () => performance.now() + skipped,
    date: () => Date.now() + skipped,
    random: () => 0.5,
    sleep: async (ms, signal) => {
      // The grace of an interruption is the only wait that must not end at once.
      if (ms === GRACE_MS) return new Promise((resolve) => signal?.addEventListener('abort', () => resolve()));
      skipped += ms;
    },
  };
  const transport = new HttpTransport({
    baseUrl: scene.url,
    key: scene.key ?? 'right-key',
    agent: 'test',
    connections: 4,
    timeoutMs,
  });
  const events: RunEvent[] = [];
  const runState = await executeRun(
    {
      ...plan.job,
      prepare: () => prepare(plan.job),
      run: 'run',
      graceMs: GRACE_MS,
      delivery: {
        concurrency: 1,
        retries: 3,
        maxWaitMs: 300_000,
        retryMaxTimeMs: 3_600_000,
        resendUnknown: false,
        timeoutMs,
        canary: true,
        ...scene.delivery,
      },
    },
    {
      transport,
      clock,
      lock: heldLock(),
      runFiles: scene.between?.(runFiles) ?? runFiles,
      readers: [(event) => events.push(event)],
      signal: new AbortController().signal,
    },
  );
  await transport.close();
  await runFiles.close();
  const balanced = balance(runState);
  return {
    runState,
    exitCode: exitCodeOf(runState),
    balanced: balanced.rows && balanced.batches,
    events,
    folder: folder.path,
    lines: async (file) => {
      const text = await readFile(path.join(folder.path, file), 'utf8').catch(() => '');
      return text.split(/\r?\n/).filter((line) => line !== '');
    },
  };
}

const GRACE_MS = 987_654;

/** What stands in front of the service and answers in ways that no service should. */
export interface Front {
  readonly url: string;
  /** Requests so far. */
  readonly count: () => number;
}

/**
 * @param odd answers the n-th request itself and returns true, or leaves it to the service
 */
export async function front(
  service: string,
  odd: (n: number, request: IncomingMessage, response: ServerResponse) => boolean,
  change: (answer: { body: Buffer; headers: Record<string, string> }) => {
    body: Buffer;
    headers: Record<string, string>;
  } = (answer) => answer,
): Promise<Front> {
  let n = 0;
  const server: Server = createServer((request, response) => {
    n += 1;
    if (odd(n, request, response)) return;
    void forward(service, request).then(({ status, body }) => {
      const answer = change({ body, headers: { 'content-type': 'application/json' } });
      response.writeHead(status, { ...answer.headers, 'content-length': String(answer.body.length) });
      response.end(answer.body);
    });
  });
  return { url: `http://127.0.0.1:${await listen(server)}`, count: () => n };
}

async function forward(service: string, request: IncomingMessage): Promise<{ status: number; body: Buffer }> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const answer = await fetch(`${service}${request.url}`, {
    method: 'POST',
    headers: {
      authorization: request.headers.authorization ?? '',
      'content-type': request.headers['content-type'] ?? '',
    },
    body: Buffer.concat(chunks),
  });
  return { status: answer.status, body: Buffer.from(await answer.arrayBuffer()) };
}
