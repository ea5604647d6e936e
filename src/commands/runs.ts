/** `signals runs`: what stands in the folder of runs. Reads journals, and sends nothing. */
import path from 'node:path';
import {
  eldestOf,
  familyRows,
  kinOf,
  type Member,
  takenFrom,
  undeliveredOf,
  visitKin,
} from '../journal/family.ts';
import { findRun, listRuns } from '../journal/find.ts';
import type { RunFolder } from '../journal/folder.ts';
import { readHandover } from '../journal/handover.ts';
import { holderOfRun } from '../journal/lock.ts';
import { type FoundRows, ROW_STATES, type RowState, rowsIn } from '../journal/rows.ts';
import { visitJournal } from '../journal/visit.ts';
import { rejectsNames } from '../keep.ts';
import { ProblemError } from '../model/problem.ts';
import { printable } from '../report/printable.ts';
import { createReasons } from '../report/reasons.ts';
import {
  familyText,
  invalidReason,
  type ListedRun,
  listText,
  nextWords,
  type RowStretch,
  rowLines,
  rowObjects,
  stepsOf,
  type UnreadableRun,
  type Words,
} from '../report/runs.ts';
import { exitCodeOf, summarise } from '../report/summary.ts';
import { summaryText } from '../report/text.ts';
import { resolveSettings } from '../settings/resolve.ts';
import type { Command, Context, Option, Options } from './command.ts';
import { settingFlags, text } from './options.ts';

const OUT: Option = {
  flags: '--out <folder>',
  about: 'where runs are kept (default: signals-runs); also SIGNALS_RUNS',
};
const PROFILE: Option = { flags: '--profile <name>', about: 'settings to use; also SIGNALS_PROFILE' };
const JSON_OPTION: Option = { flags: '--json', about: 'one JSON object on stdout' };
const COMMON: readonly Option[] = [OUT, PROFILE, JSON_OPTION];

export const runs: Command = {
  name: 'runs',
  summary: 'what became of earlier runs: list, show, find, pack, prune',
  options: COMMON,
  more: [
    'Without a command: the list. RUN is an id, an unambiguous part of it, a folder, or "last".',
    '',
    'Examples:',
    '  signals runs',
    '  signals runs show last',
    '  signals runs show last --rows unknown',
  ].join('\n'),
  run: list,
  commands: [
    { name: 'list', summary: 'every run, and what is left to do with it', options: COMMON, run: list },
    {
      name: 'show',
      arguments: '<run>',
      summary: 'what a run came to, with its replays; or its rows one by one',
      options: [
        {
          flags: '--rows <state>',
          about: 'the rows of a state, one line each: file:line and why',
          choices: ROW_STATES,
        },
        ...COMMON,
      ],
      run: show,
    },
  ],
};

async function rootOf(context: Context, options: Options): Promise<string> {
  const { settings } = await resolveSettings({
    flags: settingFlags(options),
    profile: text(options, 'profile'),
    allowHttp: true,
    env: context.env,
    invocation: context.invocation,
  });
  return settings.out;
}

function wordsFor(context: Context, options: Options): Words {
  const out = text(options, 'out');
  return {
    invocation: context.invocation,
    shell: process.platform === 'win32' ? 'windows' : 'posix',
    options: out === undefined ? [] : ['--out', out],
  };
}

async function list(context: Context, _args: readonly string[], options: Options): Promise<number> {
  const { streams } = context;
  const root = await rootOf(context, options);
  const found: (ListedRun | UnreadableRun)[] = [];
  for (const folder of await listRuns(root)) {
    try {
      found.push(listed(await familyOf(folder)));
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      const [problem = { code: 'run.unreadable', message: error.message }] = error.problems;
      found.push({ run: folder.id, folder: folder.path, problem });
    }
  }
  if (options['json'] === true) streams.out(`${JSON.stringify({ folder: root, runs: found })}\n`);
  else if (found.length === 0) streams.out(`There is no run in ${printable(root)}.\n`);
  else streams.out(`${listText(found, wordsFor(context, options), streams.style.out)}\n`);
  return 0;
}

interface Family {
  /** The run that was asked for, first, then its replays. */
  readonly members: readonly Member[];
  readonly handedOver: string | undefined;
}

async function familyOf(folder: RunFolder): Promise<Family> {
  const members: Member[] = [];
  for (const kin of await kinOf(folder)) members.push(await visitKin(kin));
  return { members, handedOver: (await readHandover(folder.path))?.time };
}

function listed({ members, handedOver }: Family): ListedRun {
  const [self] = members;
  if (self === undefined) throw new Error('a run is its own kin');
  const { folder, file, visited, held } = self;
  const { ledger, ended } = visited;
  const left = { refused: 0, exhausted: 0, unknown: 0, pending: 0 };
  for (const { owner, state, records } of undeliveredOf(members)) {
    if (owner === self && state !== 'delivered') left[state] += records;
  }
  const facts = {
    run: file.run,
    folder: folder.path,
    startedAt: file.startedAt,
    ...(file.parent === undefined ? {} : { parent: file.parent }),
    type: file.type,
    ...(file.variant === undefined ? {} : { variant: file.variant }),
    inputs: file.inputs.map(({ source }) => source),
    state: held ? 'running' : !ended || ledger.state === 'running' ? 'interrupted' : ledger.state,
    rows: ledger.rows,
    left,
    ...(handedOver === undefined ? {} : { handedOver }),
  } as const;
  return { ...facts, next: nextWords(facts) };
}

async function show(
  context: Context,
  [wanted = 'last']: readonly string[],
  options: Options,
): Promise<number> {
  const folder = await findRun(await rootOf(context, options), wanted);
  const rows = text(options, 'rows');
  const state = ROW_STATES.find((name) => name === rows);
  return state === undefined
    ? showBooks(context, options, folder)
    : showRows(context, options, folder, state);
}

async function showBooks(context: Context, options: Options, folder: RunFolder): Promise<number> {
  const { streams } = context;
  const { members } = await familyOf(await eldestOf(folder));
  const self = members.find((member) => member.folder.id === folder.id);
  if (self === undefined) throw new Error(`${folder.id} is not among its own kin`);
  const { file, held } = self;
  const handedOver = (await readHandover(folder.path))?.time;
  const reasons = createReasons();
  const { ledger, seconds, rejectedRows, ended } = await visitJournal(folder.path, held, {
    onEvent: reasons.on,
  });
  const books = summarise(ledger, {
    exitCode: exitCodeOf(ledger),
    folder: folder.path,
    seconds,
    warnings: [],
  });
  const lines = members.map((member) => listed({ members: replaysOf(members, member), handedOver }));
  const run = lines.find((line) => line.run === file.run);
  const together = members.length > 1 ? familyRows(members) : undefined;

  if (options['json'] === true) {
    const about = {
      state: held ? 'running' : books.state,
      ...(file.parent === undefined ? {} : { parent: file.parent }),
      ...(handedOver === undefined ? {} : { handedOver }),
      left: run?.left,
      next: run?.next,
      ...(together === undefined ? {} : { family: { rows: together, runs: lines.map(kinObject) } }),
    };
    streams.out(`${JSON.stringify({ ...books, ...about })}\n`);
    return 0;
  }

  const words = wordsFor(context, options);
  const at = (name: string): string => path.join(folder.path, name);
  const { refused, exhausted, unknown } = books.batches;
  const said = [
    ...(file.parent === undefined ? [] : [`A replay of ${printable(file.parent)}.`]),
    ...(held ? ['A process works on this run now: these are its books so far.'] : []),
    ...(ended || held
      ? []
      : ['The program was killed, or the machine went down: what was under way then is unknown.']),
  ];
  const body = summaryText(
    ledger,
    books,
    {
      destination: file.sandbox ? 'the sandbox' : file.baseUrl,
      sandbox: file.sandbox,
      ...words,
      options: file.sandbox ? ['--sandbox'] : ['--base-url', file.baseUrl],
      resume: ['resume', file.run, ...words.options],
      files: {
        results: at('results.csv'),
        mapping: at('mapping.yaml'),
        rejects: rejectsFiles(self, rejectedRows),
        ...(refused + exhausted + unknown === 0 ? {} : { undelivered: at('undelivered.ndjson') }),
      },
      reasons,
      // The books of one run alone do not know what a replay has delivered since.
      ...(together === undefined && handedOver === undefined && !held
        ? {}
        : { next: lines.flatMap((line) => stepsOf(line, words)) }),
    },
    streams.style.out,
  );
  const kin = together === undefined ? [] : [familyText(lines, together, streams.style.out)];
  streams.out(`${[...(said.length === 0 ? [] : [said.join('\n')]), body, ...kin].join('\n\n')}\n`);
  return 0;
}

function kinObject({ run, parent, state, rows, left, next }: ListedRun): object {
  return { run, ...(parent === undefined ? {} : { parent }), state, rows, left, next };
}

/** A member with those that come behind it: what was taken from it was taken later. */
function replaysOf(members: readonly Member[], self: Member): readonly Member[] {
  return [self, ...members.filter((member) => member !== self)];
}

function rejectsFiles(
  { folder, file }: Member,
  rows: Readonly<Record<number, number>>,
): readonly { readonly path: string; readonly rows: number }[] {
  const names = rejectsNames(file.inputs.map(({ source, format }) => ({ name: source, form: { format } })));
  return names.flatMap((name, source) => {
    const count = rows[source] ?? 0;
    return count === 0 ? [] : [{ path: path.join(folder.path, 'rejects', name), rows: count }];
  });
}

async function showRows(
  context: Context,
  options: Options,
  folder: RunFolder,
  state: RowState,
): Promise<number> {
  const { streams } = context;
  const kin = await kinOf(folder);
  const [self, ...replays] = kin;
  if (self === undefined) throw new Error('a run is its own kin');
  const names = self.file.inputs.map(({ source }) => source);
  const held = (await holderOfRun(folder.path)) !== undefined;
  const found = await rowsIn(folder.path, held, new Set([state]));
  const taken = takenFrom(replays, self.file.run);
  const stretches = found.map((rows): RowStretch => {
    const replay = rows.batch === undefined ? undefined : taken.get(rows.batch.batch);
    return {
      source: rows.source,
      span: rows.span,
      ...(rows.batch === undefined ? {} : { batch: rows.batch.batch }),
      ...(rows.skipped === undefined ? {} : { lastLine: rows.skipped.lastLine }),
      reason: rowReason(rows) + (replay === undefined ? '' : `; replayed by ${replay}`),
    };
  });
  if (options['json'] !== true) {
    for (const stretch of stretches) {
      for (const line of rowLines(names, stretch)) streams.out(`${line}\n`);
    }
    return 0;
  }
  // Piece by piece: there may be millions.
  streams.out(`{"run":${JSON.stringify(self.file.run)},"state":"${state}","rows":[`);
  let first = true;
  for (const stretch of stretches) {
    for (const row of rowObjects(names, stretch)) {
      streams.out(`${first ? '' : ','}${JSON.stringify(row)}`);
      first = false;
    }
  }
  streams.out(']}\n');
  return 0;
}

/** Why a row is where it is, in a clause. */
function rowReason({ batch, issues, skipped, state }: FoundRows): string {
  if (issues !== undefined) return invalidReason({ issues });
  if (skipped !== undefined) return `passed over by --${skipped.why}`;
  if (batch === undefined) return state;
  const { error, batchId } = batch;
  const more =
    state === 'delivered'
      ? ` as ${batchId}`
      : error === undefined
        ? state === 'pending'
          ? ', not delivered before the run ended'
          : ''
        : `: ${error}`;
  return `batch ${batch.batch}${more}`;
}
