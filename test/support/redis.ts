/** A real Redis on loopback, without files. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { onTestFinished } from 'vitest';
import { workspace } from './program.ts';

/** Debian: apt install redis-server. */
export const hasRedis = spawnSync('redis-server', ['--version']).status === 0;

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
      const child = spawn('redis-server', ['--port', String(port), '--save', '', '--dir', folder, ...secret]);
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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
