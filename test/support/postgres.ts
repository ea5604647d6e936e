/** A real PostgreSQL that listens only on a socket in a folder of its own. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

const VERSIONS = '/usr/lib/postgresql';

/** The server's programs. Debian: apt install postgresql. */
const bin = existsSync(VERSIONS)
  ? readdirSync(VERSIONS).map((version) => path.join(VERSIONS, version, 'bin'))[0]
  : undefined;

export const hasPostgres = bin !== undefined && existsSync(path.join(bin, 'initdb')) && existsSync('/usr/bin/psql');

/** Returns the environment with which psql finds it. */
export async function postgresServer(): Promise<NodeJS.ProcessEnv> {
  if (bin === undefined) throw new Error('PostgreSQL is not installed');
  // The path of a socket is short.
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pg-'));
  const as = serverUser();
  if (as !== undefined) chownSync(folder, as.uid, as.gid);
  const data = path.join(folder, 'data');
  const options = { ...as, cwd: folder, stdio: 'pipe' as const };
  execFileSync(
    path.join(bin, 'initdb'),
    ['-D', data, '-U', 'tester', '-A', 'trust', '--no-sync', '-E', 'UTF8'],
    options,
  );
  const settings = ['-c', 'listen_addresses=', '-c', `unix_socket_directories=${folder}`, '-c', 'fsync=off'];
  const server = spawn(path.join(bin, 'postgres'), ['-D', data, ...settings], options);
  onTestFinished(async () => {
    const ended = once(server, 'exit');
    server.kill('SIGINT');
    await ended;
    rmSync(folder, { recursive: true });
  });
  await new Promise<void>((resolve, reject) => {
    server.stderr.on('data', (text) => String(text).includes('ready to accept connections') && resolve());
    server.once('exit', () => reject(new Error('PostgreSQL did not start')));
  });
  return { PGHOST: folder, PGUSER: 'tester', PGDATABASE: 'postgres' };
}

/** The server refuses to run as root. */
function serverUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
