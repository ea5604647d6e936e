/** hyparquet is an optional peer dependency: few users need it. reader-thread.js imports it. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ProblemError } from '../../model/problem.ts';

const PACKAGES = ['hyparquet', 'hyparquet-compressors'];

export function isMissingPackage(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
}

export function missingPackages(name: string): ProblemError {
  return new ProblemError({
    code: 'input.parquet_reader',
    message: `'${name}' is a Parquet file, and the packages that read Parquet are not installed.`,
    where: name,
    hint: `Install them: \`${installCommand(fileURLToPath(import.meta.url))}\`. Or export the table as CSV or NDJSON.`,
  });
}

/**
 * The command that installs the packages where this program finds them.
 *
 * @param module path of a file of the program: `…/node_modules/signals-upload/dist/main.js`
 */
export function installCommand(module: string): string {
  const folders = module.split(path.sep);
  if (folders.includes('_npx')) {
    return `npx ${['signals-upload', ...PACKAGES].map((name) => `-p ${name}`).join(' ')} signals upload FILE`;
  }
  const project = folders.slice(0, folders.lastIndexOf('node_modules')).join(path.sep);
  const isGlobal = folders.includes('node_modules') && !existsSync(path.join(project, 'package.json'));
  return `npm install ${isGlobal ? '-g ' : ''}${PACKAGES.join(' ')}`;
}
