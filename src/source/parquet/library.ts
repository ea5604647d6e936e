/** Loads hyparquet, an optional peer dependency: few users need it. This is its only import. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type * as hyparquet from 'hyparquet';
import type { Compressors } from 'hyparquet';
import { installCommand } from '../../lib/install-command.ts';
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
      hint: `Install them: \`${installCommand(fileURLToPath(import.meta.url), PACKAGES, existsSync)}\`. Or export the table as CSV or NDJSON.`,
    });
  }
}

const PACKAGES = ['hyparquet', 'hyparquet-compressors'];
