/** Compares the runs of a divided upload: shards of the same one cut the same batches and each sends other ones. */
import path from 'node:path';
import { readTextFile } from '../journal/file-system.ts';
import type { RunFile } from '../journal/run-file.ts';
import { flagOf, type OptionTable, settingKey } from './option-spec.ts';
import { optionTable } from './option-table.ts';

/** What decides how a run is cut into batches, and where they go. */
export interface DividedRun extends Omit<RunFile, 'run' | 'startedAt' | 'argv'> {
  /** The text of mapping.yaml. */
  readonly mapping: string | undefined;
}

export function dividedRun(file: RunFile, folder: string): DividedRun {
  return { ...file, mapping: readTextFile(path.join(folder, 'mapping.yaml')) };
}

/** What differs between two shards that should belong to the same upload, in words. Empty if nothing does. */
export function shardDifferences(
  one: DividedRun,
  other: DividedRun,
  table: OptionTable = optionTable,
): readonly string[] {
  const inputs = (run: DividedRun) => run.inputs.map(({ bytes, head, columns }) => ({ bytes, head, columns }));
  const facts: readonly (readonly [name: string, of: (run: DividedRun) => unknown])[] = [
    ['the number of shards', ({ shard }) => shard?.of],
    ['the inputs (size, beginning or columns)', inputs],
    ['the version of signals', ({ version }) => version],
    ['the mapping', ({ mapping }) => mapping],
    ...Object.entries(table).flatMap(([name, spec]) =>
      spec.agree
        ? [
            [
              spec.setting === 'only' ? settingKey(name) : flagOf(name, spec),
              (run: DividedRun) => optionIn(run, name),
            ] as const,
          ]
        : [],
    ),
  ];
  return facts.flatMap(([name, of]) => (JSON.stringify(of(one)) === JSON.stringify(of(other)) ? [] : [name]));
}

/** An option as run.json has it. A transform may be in another place on another machine. */
function optionIn({ settings, decode, ...run }: DividedRun, name: string): unknown {
  return new Map<string, unknown>(
    Object.entries({ ...settings, ...decode, ...run, transform: run.transform?.digest }),
  ).get(name);
}

/** Whether two runs may work on the same input at the same time, because no row belongs to both. */
export function areSiblings(one: DividedRun, other: DividedRun): boolean {
  if (one.shard === undefined || other.shard === undefined) return false;
  return one.shard.index !== other.shard.index && shardDifferences(one, other).length === 0;
}
