/** `signals report`: writes one self-contained HTML page about a run. Sends nothing. */

import path from 'node:path';
import { commonOptions, findRunFolder } from '../app/find-run.ts';
import { type RunView, viewRun } from '../app/run-context.ts';
import { contracts } from '../contract/index.ts';
import { readTextFile, writePrivateFile } from '../journal/file-system.ts';
import { assertPlainFiles } from '../journal/run-folder.ts';
import { printable } from '../lib/printable.ts';
import { messageOf } from '../lib/text.ts';
import { humanBytes } from '../lib/units.ts';
import { ProblemError } from '../model/problem.ts';
import type { RowPlace } from '../model/row.ts';
import { text, usageError } from '../options/option-spec.ts';
import { answerCells } from '../report/ending-text.ts';
import { type ReasonFacts, type ReportFacts, recordsText, reportPage, serviceText } from '../report/page.ts';
import { describeReason } from '../report/problem-text.ts';
import { answersOf } from '../report/run-summary.ts';
import { place, whenText } from '../report/text-layout.ts';
import { readExplained } from '../stored-runs/explain-log.ts';
import { defineCommand } from './command.ts';

export const command = defineCommand({
  options: {
    output: text('file', 'file to write (default: report.html in the run folder); - for stdout', { short: 'o' }),
    ...commonOptions,
  },
  more: [
    'RUN is an id, an unambiguous part of an id, a folder, or "last".',
    '',
    'The page has rows of the input: share it only with people who may see them.',
    '',
    'Examples:',
    '  signals report last',
    '  signals report last -o report.html',
  ],
  async run(context, [wanted = 'last'], options) {
    const { streams } = context;
    const { output, json } = options;
    if (output === '-' && json) throw usageError('With -o -, the page is on stdout: leave out --json.');
    const folder = await findRunFolder(context, options, wanted);
    assertPlainFiles(folder.path);
    const view = await viewRun(context, options, folder);
    const page = reportPage(await reportFacts(view));
    if (output === '-') {
      streams.out(page);
      return 0;
    }
    const file = output ?? path.join(folder.path, 'report.html');
    write(file, page);
    if (json) streams.json({ run: view.file.run, report: path.resolve(file) });
    else streams.out(`${printable(file)}\n`);
    return 0;
  },
});

/** @throws ProblemError `report.file` */
function write(file: string, page: string): void {
  try {
    writePrivateFile(file, page);
  } catch (error) {
    throw new ProblemError({
      code: 'report.file',
      message: `Cannot write the report to ${file}: ${messageOf(error)}.`,
      hint: 'Choose another file with -o.',
    });
  }
}

async function reportFacts(view: RunView): Promise<ReportFacts> {
  const { file, folder, runState, context } = view;
  return {
    runState,
    context: { ...context, name: context.name.length === 0 ? [file.run] : context.name },
    reasons: await reasonFacts(view),
    mapping: readTextFile(path.join(folder.path, 'mapping.yaml')),
    settings: settingsOf(view),
    made: new Date().toISOString(),
  };
}

const FOUND_LENGTH = 120;
const EXAMPLES_SHOWN = 3;

/** Why rows were not delivered: batches without a delivery, records that the service rejected, invalid rows. */
async function reasonFacts({ runState, folder, file }: RunView): Promise<readonly ReasonFacts[]> {
  const { reasons, sources, service } = runState;
  const names = sources.map(({ name }) => name);
  // The title names a single input.
  const placeOf = (at: RowPlace): string => (names.length === 1 ? `line ${at.line}` : place(names, at));
  const answers = answersOf(runState).map((group): ReasonFacts => {
    const [rows, what, why, [first]] = answerCells(group, names, false);
    return { rows, what: `${what} (${why})`, examples: first === undefined ? [] : [{ place: first, found: '' }] };
  });
  const explained = (await readExplained(folder.path)).rows;
  const rejected: ReasonFacts = {
    rows: service.rejected,
    what: `rejected by the service, which does not say why${explained.length === 0 ? ' or which' : ''}`,
    examples: explained.slice(0, EXAMPLES_SHOWN).map((row) => ({ place: placeOf(row), found: '' })),
  };
  const invalid = reasons.invalid.map((group): ReasonFacts => {
    const { code, field = '', rows, examples } = group;
    const expected = code === 'missing' ? undefined : contracts[file.type].field(field)?.kind.expected;
    return {
      rows,
      what: `${describeReason(group)}${expected === undefined ? '' : `; expected ${expected}`}`,
      examples: examples.map((one) => {
        return { place: placeOf(one), found: one.found === undefined ? '' : `"${printable(one.found, FOUND_LENGTH)}"` };
      }),
    };
  });
  const others: ReasonFacts = { rows: reasons.more, what: 'other problems', examples: [] };
  return [...answers, rejected, ...invalid, others].filter(({ rows }) => rows > 0);
}

function settingsOf({ file, runState, context }: RunView): ReportFacts['settings'] {
  const inputs = file.inputs.map(({ source, format, bytes }): [string, string] => {
    return ['Input', `${source} (${format}${bytes === undefined ? '' : `, ${humanBytes(bytes)}`})`];
  });
  const lines: readonly (readonly [string, string | undefined])[] = [
    ['Command', context.suggest(...file.argv)],
    ['Sent to', serviceText(context)],
    ['Records', recordsText(file)],
    ...inputs,
    ['Started', whenText(runState.startedAt)],
    ['Ended', runState.endedAt === undefined ? 'not recorded' : whenText(runState.endedAt)],
    ['Profile', file.profile],
    ['Transform', file.transform?.path],
    ['Records per request', `maximum ${file.batchSize}, ${humanBytes(file.maxBytes)}`],
    ['Version of signals', file.version],
  ];
  return lines.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}
