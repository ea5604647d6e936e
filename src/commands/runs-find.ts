/** `signals runs find`: the position and the outcome of a row. */
import path from 'node:path';
import { type LocatedRows, locateLine, locateOrigin, locateText } from '../app/find-rows.ts';
import { commonOptions, findRunFolder } from '../app/find-run.ts';
import { contracts } from '../contract/index.ts';
import type { LoadedRun } from '../journal/read-journal.ts';
import { printable } from '../lib/printable.ts';
import { plural } from '../lib/units.ts';
import type { Candidate, RecordType } from '../model/record.ts';
import { text, unknownWord, usageError } from '../options/option-spec.ts';
import { createSuggest } from '../options/suggest.ts';
import { nameList } from '../report/text-layout.ts';
import { findRows, ROW_STATES } from '../stored-runs/run-rows.ts';
import { defineSubcommand } from './command.ts';

/** Exit code, as of grep. */
const NOT_FOUND = 1;

export const find = defineSubcommand({
  name: 'find',
  arguments: '<run> <what>',
  summary: 'find a row by FILE:LINE or by whole words, and show its outcome',
  options: {
    field: text('field', 'search only this field of the records: company_domain'),
    ...commonOptions,
  },
  async run(context, [wanted = 'last', what = ''], options) {
    const { streams } = context;
    const folder = await findRunFolder(context, options, wanted);
    if (what === '') throw usageError('Pass FILE:LINE or a text to find.');
    const { rows: known, run: self } = await findRows(folder, new Set(ROW_STATES));
    const { type } = self.file;
    const field = options.field === undefined ? undefined : knownField(type, options.field);
    // A field can contain a text such as `example.com:443`.
    const place = field === undefined ? placeIn(self, what) : undefined;
    const locate = async (): Promise<LocatedRows> => {
      if (place === undefined) return locateText(self, known, what, field);
      const { source } = place;
      // `a.csv:7` is a line of the first input, also if the run has read its rejects file, `…/rejects/a.csv`.
      return isOfRejects(self, source, what)
        ? locateOrigin(self, known, { source, origin: what })
        : locateLine(self, known, place);
    };
    const found = await locate();
    const exitCode = found.rows.length === 0 ? NOT_FOUND : 0;
    if (options.json) {
      streams.json({ run: self.file.run, sandbox: self.file.sandbox, what, ...found });
      return exitCode;
    }
    for (const { where, source, line, state, reason, record } of found.rows) {
      streams.print(
        `${printable(`${source}:${line}`, 160)}  ${state}${state === 'delivered' && self.file.sandbox ? ' to the sandbox' : ''}, ${printable(reason, 300)}  ${describeRecord(type, record)}[${where}]\n`,
      );
    }
    if (found.more > 0) streams.print(`and ${plural(found.more, 'line')} more\n`);
    if (found.rows.length === 0) {
      const { none, why } = found;
      if (why === undefined) {
        streams.print(`Not found: "${printable(what, 80)}" (as whole words).\n`);
        if (/:\d+$/.test(what)) {
          const names = nameList(self.file.inputs.map(({ source }) => source));
          streams.print(`No input of this run has that name, so it was searched for as text. Inputs: ${names}.\n`);
        }
      } else {
        streams.print(`There is no row at ${printable(what, 160)}: ${why}.\n`);
        if (none === 'unread' && !self.isRunning)
          streams.print(`To resume it: ${createSuggest(context, options)('resume', self.file.run)}\n`);
      }
    }
    for (const file of found.unread) {
      streams.print(`Not searched: ${printable(file)} is missing or has changed.\n`);
    }
    return exitCode;
  },
});

function isOfRejects({ file }: LoadedRun, source: number, what: string): boolean {
  const { source: name = '', columns = [] } = file.inputs[source] ?? {};
  const isPath = what.startsWith(`${name}:`) || /[/\\]/.test(what);
  return !isPath && columns.includes('_line') && columns.includes('_reason');
}

/** @throws ProblemError `usage` */
function knownField(type: RecordType, name: string): string {
  const field = contracts[type].field(name);
  if (field !== undefined) return field.name;
  const names = contracts[type].fields.map((one) => one.name);
  throw unknownWord(`--field is "${name}": ${type} have no such field.`, name, names);
}

/** Who and what, as in the record. Empty if it is not known. */
function describeRecord(type: RecordType, record: Candidate | undefined): string {
  const values = contracts[type].telling.flatMap((field) => record?.[field] ?? []);
  return values.length === 0 ? '' : `"${printable(values.join(': '), 160)}"  `;
}

/**
 * `FILE:LINE` of one of the run's inputs, by its name or by the end of it.
 *
 * @throws ProblemError `usage` if several inputs match
 */
function placeIn({ file }: LoadedRun, what: string): { source: number; line: number } | undefined {
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
    throw usageError(
      `Several inputs of the run are named ${path.basename(name)}: ${those}.`,
      `Pass one of these names, followed by :${line}.`,
    );
  }
  return source === undefined ? undefined : { source, line: Number(line) };
}
