/**
 * Functions without side effects, by examples: a line of fixtures/examples/*.ndjson is a call, what it is given, and what it
 * gives or throws. Properties of the same functions are in the tests of their folders.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { describeShard, divideSettings, parseShard, shardRunId } from '../src/app/shard.ts';
import { SentBatches, type SentState } from '../src/claims/sent-batches.ts';
import { contracts } from '../src/contract/index.ts';
import { dateTime, integer, number, oneOf, open, textKind, untyped } from '../src/contract/value-kinds.ts';
import { decide, describeCause, type Situation } from '../src/deliver/decide.ts';
import { Canary, type CanaryResult } from '../src/deliver/deliver-batch.ts';
import { createKeyRedactor } from '../src/deliver/mask-key.ts';
import { findRejected, maySplit, mostRequests } from '../src/deliver/split-batch.ts';
import {
  adaptConcurrency,
  type BreakerReading,
  backoff,
  CLOSED,
  isOpen,
  msUntilSpent,
  nextBreaker,
  readRetryAfter,
  startConcurrency,
} from '../src/deliver/throttle-rules.ts';
import { proposeFieldFixes } from '../src/fix/candidates.ts';
import { isJunk } from '../src/fix/rows-to-fix.ts';
import { guessProblem } from '../src/input/encoding.ts';
import { findHeaderRow, nameColumns } from '../src/input/header-row.ts';
import { openProblem } from '../src/input/input-paths.ts';
import { dateText, kindOfFormat, numberText } from '../src/input/sheet-rows.ts';
import { unescapeText } from '../src/input/xml.ts';
import { applyEvent, newRunState, noRows } from '../src/journal/apply-event.ts';
import { RunReasons } from '../src/journal/run-reasons.ts';
import { loadDigests } from '../src/lib/digest.ts';
import { nearest } from '../src/lib/nearest.ts';
import { cutToWidth, printable } from '../src/lib/printable.ts';
import { shellCommand, shellOn, shellQuote, shellReading, shellWith } from '../src/lib/shell.ts';
import { cut, excerpt, wordMatcher } from '../src/lib/text.ts';
import { humanBytes, humanDuration, plural } from '../src/lib/units.ts';
import { installCommand } from '../src/lib/version.ts';
import type { CellStep, MappableRow } from '../src/map/compile-mapping.ts';
import { pageOf } from '../src/map/discover/text-kinds.ts';
import { toDomain } from '../src/map/domain.ts';
import {
  briefSource,
  chooseVariant,
  compileMapping,
  describeField,
  describeReading,
  detectType,
  discoverMapping,
  type FieldMapping,
  type MappingDocument,
  mapByName,
  notMapped,
  parseMapping,
  type RowForm,
  renderField,
  renderMapping,
  templateProblem,
  tryField,
  typeOfMapping,
  withOverrides,
} from '../src/map/index.ts';
import { localesOf } from '../src/map/local-time.ts';
import { type DateSpec, dateConverter, dateSpecError } from '../src/map/parse-date.ts';
import type { RunEvent, RunStarted } from '../src/model/event.ts';
import { firstExitCode } from '../src/model/exit-code.ts';
import type { AttemptResult, Receipt } from '../src/model/outcome.ts';
import type { Prepared } from '../src/model/prepared.ts';
import { noteKey, parseNoteKey } from '../src/model/problem.ts';
import type { RecordType, Variant } from '../src/model/record.ts';
import type { Content } from '../src/model/row.ts';
import type { CheckSummary } from '../src/model/summary.ts';
import { settingProblem } from '../src/options/option-spec.ts';
import {
  duration,
  parseBaseUrl,
  parseChoice,
  parseCount,
  parseKey,
  parseRate,
  size,
} from '../src/options/parse-values.ts';
import { isProfileName } from '../src/options/profiles.ts';
import { stateFolder } from '../src/options/state-folder.ts';
import { createSuggest } from '../src/options/suggest.ts';
import { type RowFunctionAnswer, transformedRow } from '../src/plan/row-function-worker.ts';
import { mappingFileFor } from '../src/questions/continue-commands.ts';
import { type CheckContext, checkText } from '../src/report/check-text.ts';
import { endingText } from '../src/report/ending-text.ts';
import { createLogReader, narrate } from '../src/report/log-entry.ts';
import { metricsText } from '../src/report/metrics.ts';
import { type NextRun, nextCommand, nextStep } from '../src/report/next-step.ts';
import {
  describeIssue,
  describeIssues,
  describeNotes,
  describeProblem,
  describeReason,
  describeSentBefore,
  describeStop,
} from '../src/report/problem-text.ts';
import { createRejects, csvLine, resultsLine, spreadsheetSafe } from '../src/report/results-and-rejects.ts';
import {
  answersOf,
  balance,
  type ExitOptions,
  exitCodeOf,
  type RunContext,
  unreadRows,
} from '../src/report/run-summary.ts';
import { wrapLines, wrapText } from '../src/report/text-layout.ts';
import { RowLimitGate, type RowLimits } from '../src/run/row-limits.ts';
import { createRunStop } from '../src/run/run-stop.ts';
import { parseFault } from '../src/sandbox/fault.ts';
import { type ProgressView, renderLive } from '../src/terminal/progress-meter.ts';
import { readingsOf, sampleOf } from './map/discover/sample-of.ts';
import { callsIn, leaveOut, matches } from './support/doc-blocks.ts';
import { problemsOf } from './support/problems.ts';
import { rowOf } from './support/rows.ts';
import { books, contextWith, follow, type Parts } from './support/run-states.ts';
import { asJson } from './support/sandbox-client.ts';
import { suggest } from './support/suggest.ts';

const { digestOf } = await loadDigests();

const kinds = {
  text: textKind,
  enum: oneOf(['job_posting', 'news', 'review_site'], { g2: 'review_site' }),
  open: open(['like', 'repost'], ['facebook']),
  'date-time': dateTime,
  integer: integer(0, 100),
  number,
  untyped: untyped({ numericCells: true }),
};

const sources = contracts.signals.field('signal_source')?.kind.values ?? [];

interface Compiling {
  readonly type: RecordType;
  readonly variant?: Variant;
  readonly columns: readonly string[];
  readonly rowForm?: RowForm;
}

function compiled(document: MappingDocument, { type, variant, columns, rowForm = 'csv' }: Compiling) {
  return compileMapping(document, { contract: contracts[type], variant, columns, rowForm, inputName: 'in.csv' });
}

/** The columns of the fields. */
function columnsByName(columns: readonly string[], type: RecordType, given?: MappingDocument) {
  const { fields } = mapByName(columns, contracts[type], given).document;
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, 'column' in field ? field.column : field]),
  );
}

const firstNotes = new Map([
  ['omitted:warmth_hint', { source: 0, line: 14 }],
  ['omitted:detected_at', { source: 0, line: 3 }],
]);

function readBy(parsed: { readonly value: unknown } | { readonly issue: unknown }): unknown {
  return 'value' in parsed ? parsed.value : 'invalid';
}

/** The command of the next step; where there is none, the sentence that says why. */
function next(_name: string, run: Partial<NextRun>, context: Partial<RunContext>): string | null {
  const whole = { type: 'signals', state: 'complete', service: { rejected: 0, unaccounted: 0 }, ...run } as const;
  // A pipe cannot be uploaded again.
  const { argv = ['upload', 'in.csv', '--run-id', 'r'], ...others } = context;
  const step = nextStep(
    { ...whole, rows: { ...noRows(), ...run.rows } },
    contextWith({ ...others, argv: argv ?? undefined }),
  );
  return nextCommand(step, suggest) ?? step?.label ?? null;
}

function fieldOf(name: string) {
  const field = contracts.signals.field(name) ?? contracts.social.field(name);
  if (field === undefined) throw new TypeError(`no field ${name}`);
  return field;
}

const breakerLimits = { retryMaxTimeMs: 120_000, maxWaitMs: 300_000, longestGapMs: 70_000 };

function breakerAfter(_name: string, readings: readonly BreakerReading[]) {
  const breaker = readings.reduce((before, reading) => nextBreaker(before, reading, breakerLimits), CLOSED);
  return { isOpen: isOpen(breaker), lastedMs: breaker.lastedMs, msLeft: msUntilSpent(breaker, breakerLimits) };
}

const answers: Readonly<Record<string, 'good' | 'busy' | 'neutral'>> = { g: 'good', b: 'busy', n: 'neutral' };

/** The requests at once after each answer, which is a letter: a large one if its attempt left before the first halving. */
function concurrencyAfter(_name: string, ceiling: number, letters: string): readonly number[] {
  let state = startConcurrency(ceiling);
  return [...letters].map((letter) => {
    const small = letter.toLowerCase();
    const round = letter === small ? state.round : 0;
    state = adaptConcurrency(state, { kind: answers[small] ?? expect.unreachable(letter), round });
    return state.limit;
  });
}

function canaryAfter(_name: string, results: readonly CanaryResult[]) {
  const canary = new Canary(true);
  for (const result of results) canary.add(result);
  canary.judge();
  return { isPending: canary.isPending, stop: canary.stop };
}

/** What counts as sent for later runs. */
function sentAfter(
  _name: string,
  [started, ...events]: readonly [RunStarted, ...RunEvent[]],
  includesUnknown: boolean,
) {
  const entries: { readonly state: SentState; readonly keys: string }[] = [];
  const here = 'https://api.example.com';
  const builder = new SentBatches({ baseUrl: here, begun: here }, includesUnknown, (state, keys) =>
    entries.push({ state, keys }),
  );
  const runState = newRunState(started);
  for (const event of events) builder.add(event, runState, applyEvent(runState, event));
  builder.addInFlight(runState);
  return entries;
}

function reasonsAfter(_name: string, ...events: readonly RunEvent[]) {
  const runState = events.map(follow((_event, after) => after)).at(-1);
  return runState && { invalid: runState.reasons.invalid, more: runState.reasons.more, answers: answersOf(runState) };
}

/** The lines that a check prints. */
function checkLines(
  _name: string,
  summary: CheckSummary,
  about: Omit<CheckContext, 'suggest'>,
  rows: readonly (readonly [line: number, issues: Parameters<RunReasons['add']>[1]])[],
  notes: Readonly<Record<string, number>>,
): readonly string[] {
  const reasons = new RunReasons();
  for (const [line, issues] of rows) reasons.add({ source: 0, line }, issues);
  const runState = books({ notes: new Map(Object.entries(notes)) });
  return checkText({ summary, brief: ['in.csv  CSV'], runState, reasons }, { ...about, suggest }).split('\n');
}

/** Whether batches are held back before and after each item, why the run has stopped after it, and at the end. */
function limitsAfter(
  _name: string,
  limits: RowLimits,
  items: readonly Prepared[],
  before: ConstructorParameters<typeof RowLimitGate>[3] | null,
) {
  const runStop = createRunStop();
  const gate = new RowLimitGate(limits, { submit: async () => undefined }, runStop, before ?? undefined);
  const isUndecided = [gate.isUndecided];
  const codes = items.map((item) => {
    gate.count(item);
    isUndecided.push(gate.isUndecided);
    return runStop.reason?.code ?? null;
  });
  void gate.end();
  return { isUndecided, codes, stop: runStop.reason };
}

function metricsAfter(_name: string, upload: string, lastSuccess: number | null, ...events: readonly RunEvent[]) {
  const runState = events.map(follow((_event, after) => after)).at(-1) ?? books();
  const text = metricsText(upload, runState, lastSuccess ?? undefined, undefined);
  return text.replace(/version="[^"]+"/, 'version="V"').split('\n');
}

function usedIn(type: RecordType, columns: readonly string[]) {
  return discoverMapping(sampleOf(...columns), contracts[type]).document.fields;
}

const calls: Readonly<Record<string, (...given: never[]) => unknown>> = {
  chooseVariant: (document: MappingDocument, requested: Variant | 'auto' | null) =>
    chooseVariant(document, contracts.signals, requested ?? undefined),
  candidate: (document: MappingDocument, compiling: Compiling, content: Content) =>
    compiled(document, compiling).apply(rowOf(content)).candidate,
  compileMapping: compiled,
  backoff,
  briefSource,
  balance: (parts: Parts) => balance(books(parts)),
  callsIn,
  csvLine,
  cut,
  cutToWidth,
  dateConverter: (spec: DateSpec, given: unknown) => dateConverter(spec)(given),
  dateSpecError,
  dateText,
  describeCause,
  describeField,
  describeIssue,
  describeIssues,
  describeNotes: (notes: Readonly<Record<string, number>>) =>
    describeNotes({ notes: new Map(Object.entries(notes)), firstNotes, variant: 'a' }, ['in.csv']),
  describeProblem,
  describeReading,
  describeReason,
  describeSentBefore,
  describeShard,
  detectType: (columns: readonly string[], document: MappingDocument) => {
    const found = detectType({ columns, rows: [], name: 'in.csv' }, document);
    // Which type is more probable depends on the weights.
    return found.kind === 'type'
      ? found
      : [found.kind, found.isNeither, found.isLikely, ...found.fits.map(({ type }) => type).sort()];
  },
  describeStop: (stop: Parameters<typeof describeStop>[0]) => describeStop(stop, suggest),
  divideSettings: (
    settings: Parameters<typeof divideSettings>[0],
    shard: Parameters<typeof divideSettings>[1] | null,
  ) => divideSettings(settings, shard ?? undefined),
  excerpt,
  findHeaderRow,
  findRejected: (batch: Parameters<typeof findRejected>[0], receipts: Readonly<Record<string, Receipt>>) =>
    findRejected(batch, new Map(Object.entries(receipts))),
  firstExitCode,
  guessProblem,
  'has word': (wanted: string, text: string) => wordMatcher(wanted)(text),
  humanBytes,
  humanDuration,
  installCommand: (module: string) =>
    installCommand(module, ['hyparquet', 'hyparquet-compressors'], (file) => file === '/home/a/app/package.json'),
  isJunk,
  isProfileName,
  kindOfFormat,
  leaveOut,
  localesOf,
  mapByName: columnsByName,
  mappingFileFor,
  matches,
  maySplit,
  mostRequests,
  nameColumns,
  narrate,
  nearest,
  'nearest source': (word: string) => nearest(word, sources),
  notes: (kind: keyof typeof kinds, given: string, sent: string) => kinds[kind].notes?.(given, sent),
  noteKey,
  notMapped,
  numberText,
  openProblem: (name: string, code: string) => openProblem(name, Object.assign(new Error(code), { code })),
  parseMapping: (text: string) => parseMapping(text, 'm.yaml'),
  'parse choice': (text: string) => readBy(parseChoice(['hold', 'resend'])(text)),
  'parse count': (text: string) => readBy(parseCount(1, 100)(text)),
  'parse duration': (text: string) => readBy(duration({ min: '0s', max: '30d' })(text)),
  'parse size': (text: string) => readBy(size({ min: '1', max: '10GiB' })(text)),
  parseBaseUrl: (text: string, options?: { allowHttp: boolean }) => readBy(parseBaseUrl(text, options)),
  // No limit of batches is Infinity, which JSON writes as null.
  parseFault: (text: string) => asJson(parseFault(text)),
  parseKey: (text: string) => readBy(parseKey(text)),
  parseNoteKey,
  parseRate: (text: string) => readBy(parseRate(text)),
  parseShard: (given: string | null, env: NodeJS.ProcessEnv) => parseShard(given ?? undefined, env),
  plural,
  printable,
  proposeFieldFixes: (name: string, values: readonly unknown[], mapping: FieldMapping) =>
    proposeFieldFixes(fieldOf(name), mapping, values).map((fix) => fix.mapping),
  readRetryAfter: (_name: string, headers: Parameters<typeof readRetryAfter>[0]) =>
    readRetryAfter(headers, Date.parse('2026-11-20T09:15:00Z'), 300_000),
  receipt: (type: RecordType, answer: unknown) => contracts[type].receiptOf(answer),
  reject: (form: Parameters<typeof createRejects>[0], line: number, reason: string, content: never) =>
    createRejects(form).line(line, reason, content),
  renderField,
  renderMapping: (document: MappingDocument, fields: Readonly<Record<string, string>>, end: readonly string[]) =>
    renderMapping(document, { fields: new Map(Object.entries(fields)), end }).split('\n'),
  'rejects header': (...input: Parameters<typeof createRejects>) => createRejects(...input).header,
  send: (kind: keyof typeof kinds, given: unknown) => kinds[kind].read(given),
  settingProblem,
  shardRunId: (name: string, shard: Parameters<typeof shardRunId>[1] | null) => shardRunId(name, shard ?? undefined),
  shellCommand,
  shellQuote,
  shellReading,
  shellWith,
  spreadsheetSafe,
  stateFolder,
  suggest: (given: object, words: readonly string[]) =>
    createSuggest({ invocation: 'npx signals', shell: 'posix' }, given)(...words),
  templateProblem,
  toDomain: (text: string) => {
    const domain = toDomain(text);
    return typeof domain === 'string' ? domain : undefined;
  },
  transformedRow: (content: Content, answer: RowFunctionAnswer) => {
    const { position, ...row } = rowOf(content);
    const result = transformedRow({ ...row, position }, answer);
    if (result === undefined) return undefined;
    expect(result.position).toEqual(position);
    const { position: _same, ...rest } = result;
    return rest;
  },
  'a live frame': (_name: string, parts: Parts, view: Omit<ProgressView, 'runState'>, columns: number) =>
    renderLive({ ...view, runState: books(parts) }, columns),
  'the row becomes': (document: MappingDocument, compiling: Compiling, row: MappableRow) =>
    compiled(document, compiling).apply(row),
  'the steps of the cells of': (document: MappingDocument, compiling: Compiling) => {
    const { steps, ...cells } = compiled(document, compiling).cells;
    const brief = ({ make: _make, field, names, required: _required, ...step }: CellStep) => ({
      field: field.name,
      sent: names.length > 0,
      ...step,
    });
    return { ...cells, steps: steps.map(brief) };
  },
  'the breaker after': breakerAfter,
  'the canary after': canaryAfter,
  'the concurrency after': concurrencyAfter,
  'the entries of a log after': (_name: string, isVerbose: boolean, isCheck: boolean, ...events: readonly RunEvent[]) =>
    events.flatMap(follow(createLogReader(isVerbose, isCheck))).map(({ event }) => event),
  'the exit code after': (_name: string, parts: Parts, options: ExitOptions) => exitCodeOf(books(parts), options),
  'the first line after': (_name: string, parts: Parts, context: Partial<RunContext>) =>
    endingText(books(parts), contextWith(context)).split('\n')[0],
  'the page of': (text: string) => {
    const page = pageOf(text);
    return page && [page.kind, page.network ?? null];
  },
  'the readings of': (field: string, ...columns: readonly string[]) => {
    const reading = readingsOf(field, ...columns);
    return reading && { doubt: reading.doubt, ways: reading.ways };
  },
  'how a column is used': (type: RecordType, ...columns: readonly string[]) => Object.values(usedIn(type, columns)),
  'whether columns are used': (_name: string, type: RecordType, field: string, ...columns: readonly string[]) =>
    field in usedIn(type, columns),
  'the issue of a URL': parseBaseUrl,
  'the issue of a choice': parseChoice(['a', 'b']),
  'the issue of a count': parseCount(1, 100),
  'the issue of a duration': duration({ min: '0s', max: '30d' }),
  'the issue of a key': parseKey,
  'the lines of results.csv after': (_name: string, ...events: readonly RunEvent[]) =>
    events.map(follow(resultsLine)).filter((line) => line !== undefined),
  'the metrics after': metricsAfter,
  'the next step after': next,
  'the reasons after': reasonsAfter,
  'the row limits say after': limitsAfter,
  'the text of a check': checkLines,
  'the unread rows of': (_name: string, parts: Parts) => unreadRows(books(parts)),
  tryField: (name: string, mapping: FieldMapping, rows: Parameters<typeof tryField>[2]) =>
    tryField(mapping, fieldOf(name), rows),
  typeOfMapping: (columns: readonly string[], document: MappingDocument) => typeOfMapping(columns, document, 'in.csv'),
  unescapeText,
  'what is sent after': sentAfter,
  'what follows from': (
    _name: string,
    type: RecordType,
    result: AttemptResult,
    situation: Omit<Situation, 'contract'>,
  ) => decide(result, { contract: contracts[type], ...situation }),
  withOverrides,
  'without the key': (key: string, text: string, isCut: boolean) => createKeyRedactor(key)(text, isCut),
  wrapLines,
  wrapText,
  xxh64: (text: string) => digestOf(Buffer.from(text)),
};

interface Example {
  readonly call: string;
  readonly given: readonly unknown[];
  /** Absent if it gives nothing. */
  readonly gives?: unknown;
  /** Words of the error. */
  readonly throws?: string;
  /** The problems of the error, with words of their messages and hints. */
  readonly problems?: readonly { readonly words: readonly string[] }[];
}

// Far from UTC, so that no example holds only there.
process.env['TZ'] = 'Asia/Tokyo';

const folder = path.join(import.meta.dirname, '../fixtures/examples');

describe.each(readdirSync(folder))('%s', (file) => {
  const lines = readFileSync(path.join(folder, file), 'utf8').trimEnd().split('\n');

  test.each(lines)('%s', (line) => {
    const { call, given, gives, throws, problems }: Example = JSON.parse(line);
    const work = (): unknown =>
      Reflect.apply(calls[call] ?? expect.unreachable(`no function ${call}`), undefined, given);
    if (throws !== undefined) expect(work).toThrow(throws);
    else if (problems === undefined) expect(work()).toEqual(gives);
    else {
      const found = problemsOf(work);
      expect(found).toMatchObject(problems.map(({ words, ...problem }) => problem));
      for (const [index, { words }] of problems.entries()) {
        for (const word of words) expect(`${found[index]?.message} ${found[index]?.hint}`).toContain(word);
      }
    }
  });
});

test('the shell of a platform', () => {
  expect(['linux', 'darwin', 'win32'].map(shellOn)).toEqual(['posix', 'posix', 'windows']);
});
