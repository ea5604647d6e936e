/** Loads hyparquet, an optional peer dependency: few users need it. This is its only import. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type * as hyparquet from 'hyparquet';
import type { Compressors } from 'hyparquet';
import { ProblemError } from '../../model/problem.ts';

export interface ParquetLibrary
  extends Pick<typeof hyparquet, 'parquetMetadataAsync' | 'parquetRead' | 'parquetSchema'> {
  readonly compressors: Compressors;
}

/** @throws ProblemError `input.parquet_reader` if a package is not installed */
export async function loadParquetLibrary(name: string): Promise<ParquetLibrary> {
  try {
    const [reader, { compressors }] = await Promise.all([import('hyparquet'), import('hyparquet-compressors')]);
    return { ...reader, compressors };
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error;
    throw new ProblemError({
      code: 'input.parquet_reader',
      message: `'${name}' is a Parquet file, and the packages that read Parquet are not installed.`,
      where: name,
      hint: `Install them: \`${installCommand(fileURLToPath(import.meta.url))}\`. Or export the table as CSV or NDJSON.`,
    });
  }
}

const PACKAGES = ['hyparquet', 'hyparquet-compressors'];

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
