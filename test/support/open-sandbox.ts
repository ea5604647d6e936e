/** Sandboxes and folders for a test file, closed and removed behind each test. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterEach } from 'vitest';
import { type Sandbox, type SandboxServerOptions, startSandbox } from '../../src/sandbox/index.ts';
import { post, type Reply } from './sandbox-client.ts';

export const KEY = 'a-key-for-tests';
export const SIGNALS = '/v1/signals/ingest';
export const SOCIAL = '/v1/social/ingest';

const temporary = path.join(import.meta.dirname, '..', '.tmp');

interface Opened {
  start(options?: Partial<SandboxServerOptions>): Promise<Sandbox>;
  newFolder(): string;
}

export function opened(): Opened {
  const open: Sandbox[] = [];
  const folders: string[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((sandbox) => sandbox.close()));
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  });
  return {
    async start(options = {}) {
      const sandbox = await startSandbox({ key: KEY, ...options });
      open.push(sandbox);
      return sandbox;
    },
    newFolder() {
      mkdirSync(temporary, { recursive: true });
      const folder = mkdtempSync(path.join(temporary, 'sandbox-'));
      folders.push(folder);
      return folder;
    },
  };
}

export function ingest(sandbox: Sandbox, elements: readonly unknown[], where = SIGNALS): Promise<Reply> {
  const envelope = where === SOCIAL ? 'events' : 'signals';
  return post(sandbox.url + where, KEY, { [envelope]: elements });
}

/** A signal of variant a that differs from others of another number. */
export function signal(number: number): Record<string, unknown> {
  return { company_name: `Company ${number}`, signal_name: 'Opens an office', source: 'news' };
}

export const event = { platform: 'linkedin', engagement_type: 'mention' };
