/** `signals report`: writes one self-contained HTML page about a run. Sends nothing. */

import { spawn } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { commonOptions, findRunFolder } from '../app/find-run.ts';
import { rejectsRequestOf } from '../app/plan-request.ts';
import { type RunView, viewRun } from '../app/run-context.ts';
import { type Contract, contracts } from '../contract/index.ts';
import { readRejects, type TriedRow, tryRows } from '../fix/rejected-rows.ts';
import { readTextFile, writePrivateFile } from '../journal/file-system.ts';
import { assertPlainFiles } from '../journal/run-folder.ts';
import { printable } from '../lib/printable.ts';
import { messageOf } from '../lib/text.ts';
import { humanBytes } from '../lib/units.ts';
import { ProblemError } from '../model/problem.ts';
import type { Issue, RowPlace } from '../model/row.ts';
import { flag, text, usageError } from '../options/option-spec.ts';
import { answerCells } from '../report/ending-text.ts';
import {
  type ReasonExample,
  type ReasonFacts,
  type ReportFacts,
  recordsText,
  reportPage,
  serviceText,
  utc,
} from '../report/page.ts';
import { describeReason } from '../report/problem-text.ts';
import { RunTimes, type TimeFacts } from '../report/run-times.ts';
import { place } from '../report/text-layout.ts';
import { readExplained } from '../stored-runs/explain-log.ts';
import { defineCommand } from './command.ts';

export const command = defineCommand({
  options: {
    output: text('file', 'file to write (default: report.html in the run folder); - for stdout', { short: 'o' }),
    open: flag('open the page in the browser'),
    ...commonOptions,
  },
  more: [
    'RUN is an id, an unambiguous part of an id, a folder, or "last".',
    '',
    'The page has rows of the input: share it only with people who may see them.',
    '',
    'Examples:',
    '  signals report last --open',
    '  signals report last -o report.html',
  ],
  async run(context, [wanted = 'last'], options) {
    const { streams } = context;
    const { output, open, json } = options;
    if (output === '-' && (open || json))
      throw usageError('With -o -, the page is on stdout: leave out --open and --json.');
    const folder = await findRunFolder(context, options, wanted);
    assertPlainFiles(folder.path);
    const times = new RunTimes();
    const view = await viewRun(context, options, folder, times.on);
    const page = reportPage(await reportFacts(view, times.facts()));
    if (output === '-') {
      streams.out(page);
      return 0;
    }
    const file = output ?? path.join(folder.path, 'report.html');
    write(file, page);
    if (json) streams.json({ run: view.file.run, report: path.resolve(file) });
    else streams.out(`${printable(file)}\n`);
    if (open && !(await openInBrowser(file))) {
      streams.err(`No program to open the page was found. Open ${printable(pathToFileURL(path.resolve(file)).href)}\n`);
    }
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

/** Asks the system to open a file. @returns whether it has a program for that */
function openInBrowser(file: string): Promise<boolean> {
  const url = pathToFileURL(path.resolve(file)).href;
  const [program, ...words] = OPENERS[process.platform] ?? ['xdg-open'];
  return new Promise((resolve) => {
    const child = spawn(program, [...words, url], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

/** A URL of a file has no characters that rundll32 or a shell would read as anything else. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** What the report shows, from the folder of the run. */
async function reportFacts(view: RunView, times: TimeFacts): Promise<ReportFacts> {
  const { file, folder, runState, context } = view;
  return {
    runState,
    context: { ...context, name: context.name.length === 0 ? [file.run] : context.name },
    times,
    reasons: await reasonFacts(view),
    mapping: readTextFile(path.join(folder.path, 'mapping.yaml')),
    settings: settingsOf(view),
    made: new Date().toISOString(),
  };
}

/** Characters of a cell. */
const FOUND_LENGTH = 120;
const EXAMPLES_SHOWN = 3;

/** Why rows were not delivered: batches without a delivery, records that the service rejected, invalid rows. */
async function reasonFacts(view: RunView): Promise<readonly ReasonFacts[]> {
  const { runState, folder, file } = view;
  const { reasons, sources, service } = runState;
  const names = sources.map(({ name }) => name);
  const explained = (await readExplained(folder.path)).rows.slice(0, EXAMPLES_SHOWN);
  const wanted = [...reasons.invalid.flatMap(({ examples }) => examples), ...explained];
  const tried = await rejectedRows(view, wanted).catch(() => new Map<string, TriedRow>());
  const example = (at: RowPlace, found: (row: TriedRow | undefined) => string): ReasonExample => {
    const where = place(names, at);
    const row = tried.get(where);
    // The title names a single input.
    return {
      place: names.length === 1 ? `line ${at.line}` : where,
      who: row && whoseRow(row, contracts[file.type]),
      found: printable(found(row), FOUND_LENGTH),
    };
  };
  const answers = reasons.answers.map((group): ReasonFacts => {
    const [rows, what, why, [first]] = answerCells(group, names, false);
    return {
      rows,
      what: `${what} (${why})`,
      examples: first === undefined ? [] : [{ place: first, who: '', found: '' }],
    };
  });
  const rejected: ReasonFacts = {
    rows: service.rejected,
    what: `rejected by the service, which does not say why${explained.length === 0 ? ' or which' : ''}`,
    examples: explained.map((row) => example(row, () => '')),
  };
  const invalid = reasons.invalid.map((group): ReasonFacts => {
    const { code, field, rows, examples } = group;
    const issueOf = (row: TriedRow | undefined): Issue | undefined =>
      row?.issues.find((issue) => issue.code === code && issue.field === field);
    const [first] = examples.flatMap((one) => issueOf(tried.get(place(names, one))) ?? []);
    const expected = first === undefined || code === 'missing' ? '' : `; expected ${printable(first.expected)}`;
    return {
      rows,
      what: `${describeReason(group)}${expected}`,
      examples: examples.map((one) => example(one, (row) => foundText(one.found, issueOf(row)?.hint))),
    };
  });
  return [...answers, ...(service.rejected === 0 ? [] : [rejected]), ...invalid];
}

function foundText(found: string | undefined, hint: string | undefined): string {
  return [found === undefined ? [] : `"${found}"`, hint ?? []].flat().join('; ');
}

/** The company of a row, or the person of an event. */
function whoseRow({ candidate }: TriedRow, { telling }: Contract): string | undefined {
  const [who] = telling.flatMap((name) => candidate[name] ?? []);
  return who === undefined ? undefined : printable(String(who), FOUND_LENGTH);
}

/** Rows of the rejects files, by place. Empty for a run with a transform: a report runs no code. */
async function rejectedRows(
  { folder, file, runState, context }: RunView,
  wanted: readonly RowPlace[],
): Promise<ReadonlyMap<string, TriedRow>> {
  const files = context.rejects;
  if (file.transform !== undefined || files.length === 0 || wanted.length === 0) return new Map();
  const paths = files.map((one) => one.path);
  const rejects = await readRejects(rejectsRequestOf(folder.path, file, paths, context.suggest), process.stdin);
  const names = runState.sources.map(({ name }) => name);
  const placeOf = ({ source, line }: RowPlace): string => place(names, { source: files[source]?.source ?? 0, line });
  const places = new Set(wanted.map((at) => place(names, at)));
  const rows = rejects.rows.filter((row) => places.has(placeOf(row)));
  return new Map(tryRows(rejects, rejects.document, rows).map((row) => [placeOf(row.rejected), row]));
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
    ['Started', `${utc(runState.startedAt)} UTC`],
    ['Ended', runState.endedAt === undefined ? 'not recorded' : `${utc(runState.endedAt)} UTC`],
    ['Profile', file.profile],
    ['Transform', file.transform?.path],
    ['Records per request', `maximum ${file.batchSize}, ${humanBytes(file.maxBytes)}`],
    ['Version of signals', file.version],
  ];
  return lines.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}
