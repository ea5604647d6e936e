/** `signals runs`: what stands in the folder of runs. Reads journals, and sends nothing. */
import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import {
  eldestOf,
  familyRows,
  hasBegun,
  kinOf,
  lockKin,
  type Member,
  takenFrom,
  undeliveredOf,
  visitKin,
} from '../journal/family.ts';
import { findRun, listRuns } from '../journal/find.ts';
import type { RunFolder } from '../journal/folder.ts';
import { folderSize } from '../journal/folder-size.ts';
import { readHandover, writeHandover } from '../journal/handover.ts';
import { holderOfRun, type Lock, lockRun } from '../journal/lock.ts';
import { packRuns } from '../journal/pack.ts';
import { type FoundRows, ROW_STATES, type RowState, rowsIn } from '../journal/rows.ts';
import { searchFile } from '../journal/search.ts';
import { readKept } from '../journal/undelivered.ts';
import { visitJournal } from '../journal/visit.ts';
import { rejectsNames } from '../keep.ts';
import { ProblemError } from '../model/problem.ts';
import { keptInputsOf } from '../replay.ts';
import { nameList, place } from '../report/layout.ts';
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
import { shellCommand } from '../report/shell.ts';
import { exitCodeOf, summarise } from '../report/summary.ts';
import { summaryText } from '../report/text.ts';
import { humanBytes, plural } from '../report/units.ts';
import { resolveSettings } from '../settings/resolve.ts';
import { duration } from '../settings/values.ts';
import type { Command, Context, Option, Options } from './command.ts';
import { parsed, settingsAsked, text } from './options.ts';

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
    '  signals runs find last export.csv:812',
    '  signals runs prune --older-than 30d',
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
    {
      name: 'find',
      arguments: '<run> <what>',
      summary: 'where a row is: FILE:LINE, or a text to look for',
      options: COMMON,
      run: find,
    },
    {
      name: 'pack',
      arguments: '<run>',
      summary: 'one archive for somebody else to finish the run; from here nothing more is sent',
      options: [
        { flags: '--to <file>', about: 'the archive (default: the name of the run with .tar.gz, here)' },
        ...COMMON,
      ],
      run: pack,
    },
    {
      name: 'prune',
      summary: 'remove the folders of old runs that are done',
      options: [
        { flags: '--older-than <time>', about: 'untouched for so long: 30d, 12h' },
        { flags: '--force', about: 'also runs with rows that are not delivered yet' },
        { flags: '--dry-run', about: 'say what would be removed, and remove nothing' },
        ...COMMON,
      ],
      run: prune,
    },
  ],
};

async function rootOf(context: Context, options: Options): Promise<string> {
  const { settings } = await resolveSettings({ ...settingsAsked(context, options), allowHttp: true });
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
  const names = rejectsNames(keptInputsOf(file));
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
      reason: rowReason(rows, names) + (replay === undefined ? '' : `; replayed by ${replay}`),
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
function rowReason({ batch, issues, skipped, of, state }: FoundRows, names: readonly string[]): string {
  if (issues !== undefined) return invalidReason({ issues });
  if (of !== undefined) return `the same record as ${place(names, of)}`;
  if (skipped !== undefined) return skippedReason(skipped);
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

function skippedReason({ why, by = '' }: NonNullable<FoundRows['skipped']>): string {
  if (why === 'delivered') return `delivered before, by ${by}`;
  if (why === 'unknown') return `sent before by ${by}, and nobody knows whether it arrived`;
  return `passed over by --${why}`;
}

/** Hits of a text that are shown of one file. */
const HITS_SHOWN = 20;

/** Where one row is. */
interface FoundRow {
  /** What was looked through: the input itself, the rejects file, or the batches that were not delivered. */
  readonly where: 'input' | 'rejects' | 'undelivered';
  readonly source: string;
  readonly line: number;
  readonly row?: number;
  readonly state: string;
  readonly batch?: string;
  /** The run that says so: this one, or a replay that took the batch since. */
  readonly by: string;
  readonly reason: string;
}

interface Found {
  readonly rows: readonly FoundRow[];
  /** Hits that are not shown. */
  readonly more: number;
  /** Files that could not be looked through. */
  readonly unread: readonly string[];
}

async function find(
  context: Context,
  [wanted = 'last', what = '']: readonly string[],
  options: Options,
): Promise<number> {
  const { streams } = context;
  const folder = await findRun(await rootOf(context, options), wanted);
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
    streams.out(`${printable(file)} could not be looked through: it is gone, compressed, or no UTF-8.\n`);
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

/** The row on a line: the last one that starts there or before, because rows may have several lines. */
function atLine(
  members: readonly Member[],
  known: readonly FoundRows[],
  { source, line }: { readonly source: number; readonly line: number },
  where: FoundRow['where'],
): readonly FoundRow[] {
  const [self] = members;
  const stretch = known.findLast((rows) => rows.source === source && rows.span[1] <= line);
  const accounted = self?.visited.ledger.sources[source];
  if (self === undefined || stretch === undefined || accounted === undefined) return [];
  const [row, first, rows] = stretch.span;
  const number = Math.min(row + line - first, row + rows - 1);
  // Behind the last row that is accounted for there may be rows that nobody has read yet.
  if (number === accounted.rows && line > first + rows - 1 && !accounted.ended) return [];
  const owner = ownerOf(members, stretch);
  return [
    {
      where,
      source: self.file.inputs[source]?.source ?? '',
      line: first + (number - row),
      row: number,
      state: owner.state,
      ...(stretch.batch === undefined ? {} : { batch: stretch.batch.batch }),
      by: owner.by,
      reason: owner.reason,
    },
  ];
}

/** What the last run that took a batch says of it. A batch that a replay has delivered is in none of its lists. */
function ownerOf(
  members: readonly Member[],
  stretch: FoundRows,
): { readonly state: string; readonly by: string; readonly reason: string } {
  const [self] = members;
  const run = self?.file.run ?? '';
  const names = self?.file.inputs.map(({ source }) => source) ?? [];
  const own = { state: stretch.state, by: run, reason: rowReason(stretch, names) };
  const id = stretch.batch?.batch;
  if (id === undefined) return own;
  const taker = members.findLast(({ file }) => file.takes !== undefined && takenAnywhere(file.takes, id));
  if (taker === undefined) return own;
  const left = taker.visited.batches.get(id);
  const parts = [...taker.visited.batches.values()].filter(({ batch }) => batch.startsWith(`${id}.`));
  if (left !== undefined) return { state: left.state, by: taker.file.run, reason: `batch ${id}` };
  if (parts.length > 0) return { state: 'split', by: taker.file.run, reason: `parts of batch ${id}` };
  return { state: 'delivered', by: taker.file.run, reason: `batch ${id}` };
}

function takenAnywhere(takes: Readonly<Record<string, readonly string[]>>, id: string): boolean {
  return Object.values(takes).some((ids) => ids.includes(id));
}

/** Looks for a text in the inputs, the rejects files and the batches that were not delivered. */
async function searched(
  members: readonly Member[],
  known: readonly FoundRows[],
  what: string,
): Promise<Found> {
  const [self] = members;
  if (self === undefined) return { rows: [], more: 0, unread: [] };
  const rows: FoundRow[] = [];
  const unread: string[] = [];
  let more = 0;
  const { folder, file } = self;
  const rejects = rejectsNames(keptInputsOf(file));

  for (const [source, input] of file.inputs.entries()) {
    const whole = input.path ?? path.join(folder.path, 'stdin.spool');
    const inInput = file.parent === undefined ? await searchFile(whole, what, HITS_SHOWN) : undefined;
    if (inInput !== undefined) {
      const seen = new Set<number>();
      for (const { line } of inInput.hits) {
        // Two lines of one row are one hit.
        for (const row of atLine(members, known, { source, line }, 'input')) {
          if (!seen.has(row.line)) rows.push(row);
          seen.add(row.line);
        }
      }
      more += inInput.more;
      continue;
    }
    if (file.parent === undefined) unread.push(input.source);
    const inRejects = await searchFile(
      path.join(folder.path, 'rejects', rejects[source] ?? ''),
      what,
      HITS_SHOWN,
    );
    for (const { text: line } of inRejects?.hits ?? []) {
      const number = /^(?:\{"_line":|\ufeff?)(\d+)/.exec(line)?.[1];
      if (number !== undefined)
        rows.push(...atLine(members, known, { source, line: Number(number) }, 'rejects'));
    }
    more += inRejects?.more ?? 0;
  }
  if (unread.length === 0 && file.parent === undefined) return { rows, more, unread };

  for await (const batch of readKept(path.join(folder.path, 'undelivered.ndjson'))) {
    for (const [index, { position }] of batch.rows.entries()) {
      const [from = 0, to = 0] = batch.offsets.slice(index, index + 2);
      const record = Buffer.from(batch.payload).toString('utf8', from, to - 1);
      if (!record.toLowerCase().includes(what.toLowerCase())) continue;
      if (rows.length < 2 * HITS_SHOWN) rows.push(...atLine(members, known, position, 'undelivered'));
      else more += 1;
    }
  }
  return { rows, more, unread };
}

async function pack(
  context: Context,
  [wanted = 'last']: readonly string[],
  options: Options,
): Promise<number> {
  const { streams, invocation } = context;
  const folder = await findRun(await rootOf(context, options), wanted);
  const locks = new Map<string, Lock>();
  try {
    const members: Member[] = [];
    for (const kin of await lockKin(folder, locks)) members.push(await visitKin(kin, true));
    const [self] = members;
    if (self === undefined) throw new Error('a run is its own kin');
    const target = text(options, 'to') ?? `${folder.id}.tar.gz`;
    const { inputs, bytes } = await packRuns(members, target);
    const mark = { time: new Date().toISOString(), archive: path.resolve(target) };
    for (const member of members) await writeHandover(member.folder.path, mark);
    if (options['json'] === true) {
      streams.out(`${JSON.stringify({ run: self.file.run, archive: target, bytes, inputs })}\n`);
      return 0;
    }
    const command = self.visited.ledger.state === 'complete' ? 'replay' : 'resume';
    streams.out(
      [
        `${printable(target)} holds all of ${printable(self.file.run)}${inputs.length === 0 ? '' : `, its inputs too (${nameList(inputs)})`}: ${humanBytes(bytes)}. It holds personal data, and no key.`,
        `Whoever finishes it unpacks it, and types: ${shellCommand(invocation, [command, folder.id, '--out', '.'])}`,
        'From here nothing more of it is sent.',
        '',
      ].join('\n'),
    );
    return 0;
  } finally {
    for (const lock of locks.values()) await lock.release();
  }
}

async function prune(context: Context, _args: readonly string[], options: Options): Promise<number> {
  const { streams } = context;
  const age = parsed(options, 'olderThan', '--older-than', duration({ least: '0s', most: '36500d' }));
  if (age === undefined) {
    throw new ProblemError({
      code: 'usage',
      message: 'prune needs to know how old a run must be.',
      hint: `\`${context.invocation} runs prune --older-than 30d\``,
    });
  }
  const root = await rootOf(context, options);
  const removed: { run: string; bytes: number }[] = [];
  const kept: { run: string; why: string }[] = [];
  for (const folder of await listRuns(root)) {
    const why = await whyKept(folder, Date.now() - age, options['force'] === true);
    if (why !== undefined) {
      kept.push({ run: folder.id, why });
      continue;
    }
    const bytes = await folderSize(folder.path);
    removed.push({ run: folder.id, bytes });
    if (options['dryRun'] !== true) await removeRun(folder);
  }
  const room = removed.reduce((sum, { bytes }) => sum + bytes, 0);
  const dry = options['dryRun'] === true;
  if (options['json'] === true) {
    streams.out(`${JSON.stringify({ folder: root, dryRun: dry, removed, kept, bytes: room })}\n`);
    return 0;
  }
  for (const { run, bytes } of removed) streams.out(`${printable(run)}: ${humanBytes(bytes)}\n`);
  for (const { run, why } of kept) if (why !== YOUNG) streams.out(`${printable(run)}: kept, ${why}\n`);
  const what = plural(removed.length, 'run');
  streams.out(
    `${dry ? `${what} would be removed` : `${what} removed`}, ${humanBytes(room)}; ${plural(kept.length, 'run')} kept.\n`,
  );
  return 0;
}

const YOUNG = 'touched since';

/** A family goes as a whole: without its replay a run would take what was delivered for undelivered. */
async function whyKept(folder: RunFolder, before: number, force: boolean): Promise<string | undefined> {
  try {
    if (!(await hasBegun(folder))) return (await touched(folder)) > before ? YOUNG : undefined;
    const { members } = await familyOf(await eldestOf(folder));
    for (const member of members) {
      if (member.held) return 'a process works on it';
      if ((await touched(member.folder)) > before) return YOUNG;
    }
    if (force) return undefined;
    const open = members.find((member) => {
      const { next, left } = listed({ members: replaysOf(members, member), handedOver: undefined });
      return next !== null || left.unknown > 0;
    });
    const handedOver = await readHandover(folder.path);
    if (open === undefined || handedOver !== undefined) return undefined;
    return open.folder.id === folder.id
      ? 'because it is not complete (--force removes it)'
      : `because ${open.file.run} is not complete (--force removes them)`;
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    if (force && (await touched(folder)) <= before) return undefined;
    return 'because it cannot be read (--force removes it)';
  }
}

async function touched(folder: RunFolder): Promise<number> {
  return (await stat(path.join(folder.path, 'journal.ndjson'))).mtimeMs;
}

/** @throws HeldError where a process has begun to work on it */
async function removeRun(folder: RunFolder): Promise<void> {
  const lock = await lockRun(folder.path);
  try {
    await rm(folder.path, { recursive: true });
  } finally {
    await lock.release();
  }
}
