/**
 * Bundles the program for the simulation: src/main.ts and the packages it uses, except `undici`, which is simulated, and those that
 * have neither state nor a clock: all simulated processes share them.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { assembly } from '../../scripts/assembly.mjs';

const ROOT = path.join(import.meta.dirname, '..', '..');
const SHARED = ['zod', 'yaml', 'commander', 'csv-parse', 'csv-parse/sync', 'tldts'];
const SOURCES = path.join(ROOT, 'src/');
/** From scripts/mutate.mjs: sources with its mutants, by path. */
const MUTATED = process.env['SIGNALS_MUTANTS_TEXTS'];

/** A change of a line of the sources. Those of mutants.json would lose rows, send events twice or lie about them. */
export interface Mutant {
  /** What the program then does. */
  readonly does: string;
  /** Occurs once in src/. */
  readonly find: string;
  readonly replace: string;
}

/** @param mutant a change of one of the sources */
export async function bundleProgram(mutant?: Mutant): Promise<string> {
  let places = 0;
  const mutated: Record<string, string> = MUTATED === undefined ? {} : JSON.parse(readFileSync(MUTATED, 'utf8'));
  const change = {
    name: 'change',
    transform: (code: string, id: string): string | null => {
      if (mutant === undefined || !id.startsWith(SOURCES)) return mutated[id] ?? null;
      const parts = code.split(mutant.find);
      places += parts.length - 1;
      return parts.join(mutant.replace);
    },
  };
  const bundle = await rolldown({
    input: path.join(ROOT, 'src/main.ts'),
    platform: 'node',
    external: [
      ...SHARED,
      'undici',
      '@redis/client',
      'hyparquet',
      'hyparquet-compressors',
      '@clack/prompts',
      'cli-progress',
    ],
    tsconfig: path.join(ROOT, 'tsconfig.json'),
    checks: { bundlerTimings: false },
    plugins: [change, assembly],
  });
  const { output } = await bundle.generate({ format: 'cjs', codeSplitting: false });
  await bundle.close();
  if (mutant !== undefined && places !== 1)
    throw new Error(`src/ has ${places} places, not one, for the change with which it ${mutant.does}`);
  // A script of `node:vm` has no import().
  return output[0].code.replace(/\bimport\((["']@redis\/client["'])\)/, 'Promise.resolve(require($1))');
}
