/** hyparquet is an optional peer dependency: few users need it. reader-thread.js imports it. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { installCommand } from '../../lib/install-command.ts';
import { ProblemError } from '../../model/problem.ts';

const PACKAGES = ['hyparquet', 'hyparquet-compressors'];

export function missingPackages(name: string): ProblemError {
  return new ProblemError({
    code: 'input.parquet_reader',
    message: `'${name}' is a Parquet file, and the packages that read Parquet are not installed.`,
    where: name,
    hint: `Install them: \`${installCommand(fileURLToPath(import.meta.url), PACKAGES, existsSync)}\`. Or export the table as CSV or NDJSON.`,
  });
}
