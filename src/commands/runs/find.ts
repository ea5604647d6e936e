/** `signals runs find`: where one row of a run is, and what became of it. */
import path from 'node:path';
import type { Member } from '../../journal/family.ts';
import { ROW_STATES, rowsIn } from '../../journal/rows.ts';
import { ProblemError } from '../../model/problem.ts';
import { printable } from '../../report/printable.ts';
import { plural } from '../../report/units.ts';
import type { Command, Context, Options } from '../command.ts';
import { COMMON, familyOf, folderOf } from './common.ts';
import { atLine, type Found, searched } from './where.ts';

export const find = {
  name: 'find',
  arguments: '<run> <what>',
  summary: 'where a row is: FILE:LINE, or a text to look for',
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
  const known = await rowsIn(folder.path, self.held, new Set(ROW_STATES));
  const place = placeIn(self, what);
  const found: Found =
    place === undefined
      ? await searched(members, known, what)
      : { rows: atLine(members, known, place, 'input'), more: 0, unread: [] };
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
    streams.out(
      place === undefined
        ? `"${printable(what, 80)}" is nowhere in what could be looked through.\n`
        : `${printable(what, 160)} is no row that the run has accounted for: a header, a blank line, or behind what was read.\n`,
    );
  }
  for (const file of found.unread) {
    streams.out(`${printable(file)} could not be looked through: it is gone, or cannot be read as it was.\n`);
  }
  return 0;
}

/** `FILE:LINE` of one of the run's inputs, by its name or by the end of it. */
function placeIn({ file }: Member, what: string): { source: number; line: number } | undefined {
  const match = /^(.*):(\d+)$/s.exec(what);
  const [, name = '', line] = match ?? [];
  if (line === undefined || name === '') return undefined;
  const names = file.inputs.map(({ source }) => source);
  const exact = names.indexOf(name);
  const source = exact >= 0 ? exact : names.findIndex((one) => path.basename(one) === path.basename(name));
  return source < 0 ? undefined : { source, line: Number(line) };
}
