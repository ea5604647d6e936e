/** `rejects/`: the rows that were not delivered as records, one file an input. They can be corrected and uploaded. */
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { type AppendFile, type AppendOptions, openAppend } from '../journal/append-file.ts';
import type { RunFile } from '../journal/run-file.ts';
import { formatTraits } from '../model/input-format.ts';
import type { Problem } from '../model/problem.ts';
import type { Content } from '../model/row.ts';
import type { RejectsState } from '../model/run-state.ts';
import { createRejects, type Rejects, type RejectsForm } from '../report/results-and-rejects.ts';

export interface RejectsOrigin {
  readonly inputs: readonly Pick<RunFile['inputs'][number], 'source' | 'format' | 'columns' | 'delimiter'>[];
  readonly decode: Pick<RunFile['decode'], 'delimiter'>;
}

/** Lengths of the files in bytes, by source index. Inputs without rejects are absent. */
type Lengths = RejectsState['bytes'];

export interface RejectedRow {
  readonly source: number;
  readonly line: number;
  readonly reason: string;
  readonly content: Content | string;
}

export type RejectsFiles = ReturnType<typeof createRejectsFiles>;

interface OpenFile {
  readonly file: AppendFile;
  readonly writer: Rejects;
}

/** @param folder path of the run folder */
export function createRejectsFiles(
  folder: string,
  origin: RejectsOrigin,
  { fsync, blockedBy }: Pick<AppendOptions, 'fsync' | 'blockedBy'> = {},
) {
  const directory = path.join(folder, 'rejects');
  const names = rejectsFileNames(origin);
  const pathOf = (source: number): string => path.join(directory, names[source] ?? `${source}`);
  const opening = new Map<number, Promise<OpenFile>>();
  const opened = new Map<number, OpenFile>();
  let isAllowedOnFullDisk = false;

  const openFile = async (source: number): Promise<OpenFile> => {
    const form = formOf(origin, source);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const file = await openAppend(pathOf(source), {
      fsync,
      blockedBy: () => (isAllowedOnFullDisk ? undefined : blockedBy?.()),
    });
    const open = { file, writer: createRejects(form) };
    opened.set(source, open);
    if (file.length === 0) await file.append(open.writer.header);
    return open;
  };
  const openOnce = (source: number): Promise<OpenFile> => {
    const open = opening.get(source) ?? openFile(source);
    opening.set(source, open);
    return open;
  };

  const truncate = async (lengths: Lengths): Promise<void> => {
    for (const [source, { file, writer }] of opened) {
      await file.truncate(lengths[source] ?? Buffer.byteLength(writer.header));
    }
  };

  return {
    async add({ source, line, reason, content }: RejectedRow): Promise<void> {
      const { file, writer } = await openOnce(source);
      await file.append(writer.line(line, reason, content));
    },
    lengths: (): Lengths => Object.fromEntries([...opened].map(([source, { file }]) => [source, file.length])),
    truncate,
    /** @param isContested whether another process may still write into these files */
    async restore(lengths: Lengths, isContested: boolean): Promise<void> {
      for (const source of names.keys()) {
        if (lengths[source] === undefined) {
          // None of its rows is accounted for; they will be added again.
          await rm(pathOf(source), { force: true });
          continue;
        }
        const { file } = await openOnce(source);
        if (isContested) await file.moveToCopy(pathOf(source));
      }
      await truncate(lengths);
    },
    /** At the end of a run, only one more line of the journal follows. */
    allowOnFullDisk(): void {
      isAllowedOnFullDisk = true;
    },
    async close(): Promise<void> {
      for (const { file } of opened.values()) await file.close();
    },
  };
}

/**
 * Sets files aside that the user has edited: they have neither the length at the end of the run, nor that of the last commit, to
 * which a resume that was killed has cut them back.
 */
export async function editedRejects(
  folder: string,
  origin: RejectsOrigin,
  ...lengths: readonly Readonly<Record<number, number>>[]
): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  for (const [source, name] of rejectsFileNames(origin).entries()) {
    const file = path.join(folder, 'rejects', name);
    const size = await stat(file).then(
      (stats) => stats.size,
      () => undefined,
    );
    if (size === undefined || lengths.some((written) => size === written[source])) continue;
    let kept = `${file}.edited`;
    for (let number = 2; existsSync(kept); number += 1) kept = `${file}.edited-${number}`;
    await rename(file, kept);
    problems.push({
      code: 'resume.edited',
      message: 'This rejects file was edited, and the run writes it again. Your version was kept beside it.',
      where: kept,
    });
  }
  return problems;
}

function formOf({ inputs, decode }: RejectsOrigin, source: number): RejectsForm {
  const input = inputs[source];
  if (input === undefined) throw new Error(`there is no input ${source}`);
  const { format, columns, delimiter = decode.delimiter ?? ',' } = input;
  // Rejects of a JSON array are NDJSON lines, so that each can be corrected separately.
  return formatTraits[format].hasCells ? { format: 'csv', columns, delimiter } : { format: 'ndjson' };
}

/** File names after the inputs', numbered if two inputs have the same name. */
export function rejectsFileNames({ inputs }: Pick<RejectsOrigin, 'inputs'>): readonly string[] {
  const taken = new Set<string>();
  return inputs.map(({ source, format }) => {
    const extension = formatTraits[format].hasCells ? '.csv' : '.ndjson';
    const unpacked = path.basename(ownName(source)).replace(/\.gz$/i, '');
    const stem = unpacked.replace(/\.[^.]*$/, '') || 'input';
    let candidate = `${stem}${extension}`;
    for (let number = 2; taken.has(candidate.toLowerCase()); number += 1) {
      candidate = `${stem}-${number}${extension}`;
    }
    taken.add(candidate.toLowerCase());
    return candidate;
  });
}

/** Without the archive that the input is in. */
function ownName(name: string): string {
  const inner = /\.zip:(.*)$/is.exec(name)?.[1];
  return inner?.replace(/[^\p{L}\p{N}/ ._()+-]/gu, '_').slice(-MAX_NAME) ?? name;
}

const MAX_NAME = 60;
