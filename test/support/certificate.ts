/** Certificates for servers on loopback, made by openssl. */
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

/** A self-signed certificate. */
export async function certificate(name = 'localhost'): Promise<Certificate> {
  return make(await workspace(), name, ['-addext', `subjectAltName=DNS:${name}`]);
}

/** A certificate that a private CA has issued, and the file with the CA's own. */
export async function issuedCertificate(name: string, issuer: string): Promise<Certificate & { readonly ca: string }> {
  const own = await make(await workspace(), issuer, []);
  const by = ['-CA', own.file, '-CAkey', own.keyFile, '-addext', `subjectAltName=DNS:${name}`];
  return { ...(await make(await workspace(), name, by)), ca: own.file };
}

async function make(folder: string, name: string, more: readonly string[]): Promise<Certificate> {
  const subject = name.startsWith('/') ? name : `/CN=${name}`;
  const [keyFile, file] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-keyout', keyFile, '-nodes'];
  const args = ['req', '-x509', ...key, '-out', file, '-days', '1', '-subj', subject, ...more];
  const { status, stderr } = spawnSync('openssl', args, { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  return { file, keyFile, options: { key: await readFile(keyFile), cert: await readFile(file) } };
}
