/** `signals runs find`: where one row of a run is, and what became of it. */
import path from 'node:path';
import type { LineageRun } from '../../journal/lineage.ts';
import { findRows, ROW_STATES } from '../../journal/run-rows.ts';
import { printable } from '../../lib/printable.ts';
import { plural } from '../../lib/units.ts';
import { ProblemError } from '../../model/problem.ts';
import { nameList } from '../../report/text-layout.ts';
import { type LocatedRows, locateLine, locateText, type NoRowReason } from '../../run/locate-rows.ts';
import type { Command, Context, Options } from '../shared/command.ts';
import { suggestFor } from '../shared/options.ts';
import { COMMON, familyOf, folderOf } from './runs-options.ts';

export const find = {
  name: 'find',
  arguments: '<run> <what>',
  summary: 'find a row by FILE:LINE or by text, and show its outcome',
  options: COMMON,
  run,
} satisfies Command;

async function run(
  context: Context,
  [wanted = 'last', what = '']: readonly string[],
  options: Options,
): Promise<number> {
  const { streams } = context;
  const folder = await folderOf(context, options, wanted);
  const { members } = await familyOf(folder);
  const [self] = members;
  if (self === undefined || what === '') {
    throw new ProblemError({ code: 'usage', message: 'There is nothing to look for.' });
  }
  const known = await findRows(folder.path, self.isRunning, new Set(ROW_STATES));
  const place = placeIn(self, what);
  const found: LocatedRows =
    place === undefined ? await locateText(members, known, what) : await locateLine(members, known, place);
  if (options['json'] === true) {
    streams.out(`${JSON.stringify({ run: self.file.run, what, ...found })}\n`);
    return 0;
  }
  for (const { where, source, line, state, by, reason } of found.rows) {
    const replayed = by === self.file.run ? '' : ` (replay ${by})`;
    streams.out(
      `${printable(`${source}:${line}`, 160)}  ${state}, ${printable(reason, 300)}${replayed}  [${where}]\n`,
    );
  }
  if (found.more > 0) streams.out(`and ${plural(found.more, 'line')} more\n`);
  if (found.rows.length === 0) {
    const { none } = found;
    if (none === undefined || place === undefined) {
      streams.out(`"${printable(what, 80)}" is nowhere in what could be looked through.\n`);
      if (/:\d+$/.test(what)) {
        const names = nameList(self.file.inputs.map(({ source }) => source));
        streams.out(
          `No input of the run has such a name, so this was looked for as a text. Its inputs: ${names}.\n`,
        );
      }
    } else {
      const first = known.find(({ source }) => source === place.source)?.span[1];
      const suggest = suggestFor(context, options);
      streams.out(
        `There is no row at ${printable(what, 160)}: ${whyNone(none, self, { ...place, first })}.\n`,
      );
      for (const [why, words] of nextOf(none, self, what)) {
        streams.out(`${why}: ${suggest(...words)}\n`);
      }
    }
  }
  for (const file of found.unread) {
    streams.out(`${printable(file)} could not be looked through: it is gone, or cannot be read as it was.\n`);
  }
  return 0;
}

/** In a clause. `first`: line of the first row. */
function whyNone(
  none: NoRowReason,
  { inspected, isRunning, file }: LineageRun,
  { source, first = 1 }: { readonly source: number; readonly first?: number | undefined },
): string {
  const { rows = 0 } = inspected.ledger.sources[source] ?? {};
  const { line = 1 } = inspected.cursors.get(source) ?? {};
  switch (none) {
    case 'before':
      return `the first row begins on line ${first}`;
    case 'blank':
      return 'the line is blank';
    case 'end':
      return rows === 0 ? 'the file has no rows' : `it is behind the last row of the file, row ${rows}`;
    case 'unread': {
      const upTo = rows === 0 ? 'nothing of the file' : `the file up to line ${line - 1}`;
      return `the run has ${isRunning ? 'so far ' : ''}accounted for ${upTo}${isRunning ? '' : ', and did not come to its end'}`;
    }
    case 'other':
      return `this replay of ${printable(file.parent ?? '', 160)} does not have all of its rows`;
  }
}

/** What to do about it: in words, and the words behind the program's name. */
function nextOf(
  none: NoRowReason,
  { isRunning, file }: LineageRun,
  what: string,
): readonly [string, readonly string[]][] {
  if (none === 'unread' && !isRunning) return [['To go on with it', ['resume', file.run]]];
  if (none !== 'other' || file.parent === undefined) return [];
  return [['To look there', ['runs', 'find', file.parent, what]]];
}

/**
 * `FILE:LINE` of one of the run's inputs, by its name or by the end of it.
 *
 * @throws ProblemError `usage` where several end so
 */
function placeIn({ file }: LineageRun, what: string): { source: number; line: number } | undefined {
  const match = /^(.*):(\d+)$/s.exec(what);
  const [, name = '', line] = match ?? [];
  if (line === undefined || name === '') return undefined;
  const names = file.inputs.map(({ source }) => source);
  const exact = names.indexOf(name);
  if (exact >= 0) return { source: exact, line: Number(line) };
  const alike = names.flatMap((one, source) => (path.basename(one) === path.basename(name) ? [source] : []));
  const [source, ...others] = alike;
  if (others.length > 0) {
    const those = nameList(alike.map((one) => names[one] ?? ''));
    throw new ProblemError({
      code: 'usage',
      message: `Several inputs of the run are called ${path.basename(name)}: ${those}.`,
      hint: `Name one of them as it stands there, with :${line} behind it.`,
    });
  }
  return source === undefined ? undefined : { source, line: Number(line) };
}
