/** Reads the files of `--ca-file`, `--client-cert` and `--client-key`, all in PEM. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { TlsFiles } from '../../deliver/route.ts';
import { messageOf } from '../../lib/text.ts';
import { ProblemError } from '../../model/problem.ts';
import type { Settings } from '../../settings/setting-table.ts';

/** @throws ProblemError `option.ca-file`, `option.client-cert`, `option.client-key` */
export function readTlsFiles({ caFile, clientCert, clientKey }: Settings): TlsFiles {
  const ca = read('ca-file', caFile, (text) => new X509Certificate(text));
  const cert = read('client-cert', clientCert, (text) => new X509Certificate(text));
  const key = read('client-key', clientKey, (text) => createSecureContext({ key: text, cert }));
  if ((cert === undefined) !== (key === undefined)) {
    const [given, other] = key === undefined ? ['client-cert', 'client-key'] : ['client-key', 'client-cert'];
    throw new ProblemError({
      code: `option.${given}`,
      message: `--${given} needs --${other}: a client certificate is used with its private key.`,
    });
  }
  return { ca, cert, key };
}

function read(name: string, path: string | undefined, check: (text: string) => unknown): string | undefined {
  if (path === undefined) return undefined;
  try {
    const text = readFileSync(path, 'utf8');
    check(text);
    return text;
  } catch (error) {
    throw new ProblemError({
      code: `option.${name}`,
      message: `The file for --${name} cannot be used: ${messageOf(error)}.`,
      where: path,
      hint: 'Name a readable file in PEM format. A private key must not be encrypted.',
    });
  }
}
