/** A real Redis on loopback, without files. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { freePort } from './listen.ts';
import { root, workspace } from './program.ts';

/** What get-redis.sh unpacks, with the libraries beside it. */
const unpacked = path.join(root, 'node_modules', '.cache', 'redis', 'usr');
const isUnpacked = existsSync(path.join(unpacked, 'bin', 'redis-server'));
const command = isUnpacked ? path.join(unpacked, 'bin', 'redis-server') : 'redis-server';
const lib = path.join(unpacked, 'lib');
const libraries = isUnpacked ? readdirSync(lib).map((name) => path.join(lib, name)) : [];
const env = { ...process.env, LD_LIBRARY_PATH: libraries.join(':') };

/** Debian: apt install redis-server; `npm run test:redis` unpacks it. */
export const hasRedis = spawnSync(command, ['--version'], { env }).status === 0;

export interface Redis {
  readonly url: string;
  /** Ends it; its data is lost. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

export async function redisServer({ password }: { readonly password?: string } = {}): Promise<Redis> {
  const folder = await workspace();
  const port = await freePort();
  const secret = password === undefined ? [] : ['--requirepass', password];
  let server: ChildProcess | undefined;
  const redis: Redis = {
    url: `redis://${password === undefined ? '' : `:${password}@`}127.0.0.1:${port}`,
    async stop() {
      if (server === undefined) return;
      const ended = once(server, 'exit');
      server.kill('SIGKILL');
      await ended;
      server = undefined;
    },
    async start() {
      const child = spawn(command, ['--port', String(port), '--save', '', '--dir', folder, ...secret], { env });
      server = child;
      await new Promise<void>((resolve, reject) => {
        child.stdout.on('data', (data) => String(data).includes('Ready to accept') && resolve());
        child.once('exit', () => reject(new Error('redis-server did not start')));
      });
    },
  };
  onTestFinished(() => redis.stop());
  await redis.start();
  return redis;
}
