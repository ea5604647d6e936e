/** A self-signed certificate for a server on loopback, made by openssl. */
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';
import { workspace } from './program.ts';

export const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

export interface Certificate {
  readonly file: string;
  readonly keyFile: string;
  readonly options: { readonly key: Buffer; readonly cert: Buffer };
}

export async function certificate(name = 'localhost'): Promise<Certificate> {
  const cwd = await workspace();
  const [keyFile, file] = [path.join(cwd, 'key.pem'), path.join(cwd, 'cert.pem')];
  const names = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`];
  const files = ['-keyout', keyFile, '-out', file, '-days', '1', '-nodes'];
  expect(
    spawnSync('openssl', [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      ...files,
      ...names,
    ]).status,
  ).toBe(0);
  return { file, keyFile, options: { key: await readFile(keyFile), cert: await readFile(file) } };
}
