/**
 * What a run needs next, decided in one place: a pure function of its state. Summary, `runs`, report, `--json`, merge and refusals
 * print its value. A step without a command is a sentence.
 */

import { contracts } from '../contract/index.ts';
import { printable } from '../lib/printable.ts';
import type { Suggest } from '../lib/shell.ts';
import { count } from '../lib/units.ts';
import { isLoopback, parseUrl } from '../lib/url.ts';
import { sumOf } from '../model/counts.ts';
import { openFailures, type StopCode } from '../model/outcome.ts';
import type { RecordType, Variant } from '../model/record.ts';
import type { RunFacts, RunState } from '../model/run-state.ts';
import { type Style, whenText } from './text-layout.ts';

export interface NextStep {
  readonly kind: NextStepKind;
  /** Before the command: a word, or a sentence that ends with a colon. Without a command, the sentence. */
  readonly label: string;
  /** Arguments of the command. Absent if no command helps. */
  readonly words?: readonly string[] | undefined;
}

/** Those of {@link SENDS} send rows of the run itself. */
type NextStepKind = 'final' | 'resume' | 'refused' | 'repeat' | 'variant' | 'explain' | 'unknown_before' | 'invalid';

const SENDS: ReadonlySet<NextStepKind> = new Set(['final', 'resume', 'refused']);

/** What the catalogue of runs and a run state both know. */
export interface NextRun extends RunFacts {
  readonly type: RecordType;
  readonly variant?: Variant | undefined;
  /** Absent in the catalogue, like the inputs. */
  readonly sources?: RunState['sources'] | undefined;
  readonly sentBefore?: RunState['sentBefore'] | undefined;
}

/** What became of a rejects file in the run that uploaded it, which may have read other files too. */
export interface RejectsUpload {
  readonly run: string;
  /** Rows of this file. */
  readonly read: number;
  /** How many of them it delivered, also by the uploads of their rejects, and so on. */
  readonly delivered: number;
  /** The last of these uploads that has something left, or the run itself. */
  readonly last: string;
  /** Whether the run is complete and has delivered all rows of this file. */
  readonly isDone: boolean;
}

export interface RejectsCount {
  readonly source: number;
  readonly path: string;
  readonly rows: number;
  readonly upload?: RejectsUpload | undefined;
}

/** What the journal does not say. */
export interface StepContext {
  /** How a command names the run: not at all if it is the last one, which commands take by default. */
  readonly name: readonly string[];
  readonly isRunning: boolean;
  readonly baseUrl: string;
  /** A later run that has the rows of this one: nothing is left to do here. */
  readonly replacedBy?: string | undefined;
  /** The arguments of this run, as typed. Absent if they cannot be repeated. */
  readonly argv?: readonly string[] | undefined;
  /** Whether its rows are those that an earlier run rejected: then the names of the fields are not the cause of a refusal. */
  readonly isRepeat: boolean;
  /** Whether a module changes the rows: no rule of `fix` can repair them. */
  readonly hasTransform: boolean;
  readonly hasSkippedFiles: boolean;
  /** The rejects files that hold rows. */
  readonly rejects: readonly RejectsCount[];
  /** Rejected records that `runs explain` has named. Undefined if it cannot find any: for social events, and for the sandbox. */
  readonly explained: number | undefined;
}

/** The command to type next. Null if no command helps. */
export function nextCommand(step: NextStep | undefined, suggest: Suggest): string | null {
  return step?.words === undefined ? null : suggest(...step.words);
}

/** `Then     signals resume`; the command has a line of its own after a sentence. */
export function stepText({ label, words }: NextStep, suggest: Suggest, style: Style): string {
  if (words === undefined) return label;
  const command = style.bold(suggest(...words));
  return label.endsWith(':') ? `${label}\n         ${command}` : `${label.padEnd(7)}  ${command}`;
}

export function isSending(step: NextStep | undefined): boolean {
  return step !== undefined && SENDS.has(step.kind);
}

/** Those for other rows than the more urgent step that is shown: `fix`, and `resume --refused`. */
export function otherSteps(run: NextRun, context: StepContext, shown: NextStep | undefined): readonly NextStep[] {
  if (run.state !== 'complete' || shown === undefined || ['invalid', 'final'].includes(shown.kind)) return [];
  const fix = invalidStep(run, context);
  const refused = ['refused', 'variant'].includes(shown.kind) ? undefined : refusedStep(run, context);
  return [...(fix?.words?.[0] === 'fix' ? [fix] : []), ...(refused === undefined ? [] : [refused])];
}

export function nextStep(run: NextRun, context: StepContext): NextStep | undefined {
  return (
    finalStep(run, context) ??
    variantStep(run, context) ??
    sendStep(run, context) ??
    refusedStep(run, context) ??
    explainStep(run, context) ??
    unknownBeforeStep(run, context) ??
    invalidStep(run, context)
  );
}

/** Why nothing may be sent from here now, if so. */
function finalStep({ handedOver, stop }: NextRun, { isRunning, replacedBy }: StepContext): NextStep | undefined {
  const final = (label: string): NextStep => ({ kind: 'final', label });
  if (handedOver !== undefined)
    return final(
      `${handedOver.copy ? 'A copy to look at' : `Handed over on ${whenText(handedOver.time)}`}: only ${printable(handedOver.to, 200)} may send it.`,
    );
  if (isRunning) return final('A process is working on it now.');
  if (replacedBy !== undefined) return final(`Nothing left here: the later run ${printable(replacedBy)} replaced it.`);
  // The process that took over has the current counts, and sends what is left.
  return stop?.code === 'lost' ? final('Let the other process finish the run.') : undefined;
}

/** The rows are the cause of these stops: a resume would stop again, so only the user can decide to send the rest. */
const ROW_STOPS: ReadonlySet<StopCode> = new Set(['canary', 'invalid', 'rows', 'changed']);

/** About rows that another try could deliver: not read, pending, exhausted, or unknown. */
function sendStep(run: NextRun, context: StepContext): NextStep | undefined {
  const { state, stop, sources = [], rows, type } = run;
  const { name, baseUrl } = context;
  const isSafe = contracts[type].deduplicates;
  const mayResend = sumOf(rows, openFailures) > (isSafe ? 0 : rows.unknown);
  const resume = (label: string, ...more: readonly string[]): NextStep => {
    return { kind: 'resume', label, words: ['resume', ...name, ...more] };
  };
  if (run.isRestLost ?? isRestLost({ stop, rows, sources }))
    return { kind: 'final', label: 'Export the data that is missing again, and upload it.' };
  if (stop?.code === 'folder')
    return { kind: 'final', label: 'If the folder was renamed or moved, resume the run by its new path.' };
  if (stop !== undefined && ROW_STOPS.has(stop.code)) return rowStopStep(run, context);
  const isAddressWrong = stop?.code === 'address' || (stop?.code === 'answers' && rows.delivered === 0);
  if (stop?.code === 'scheme') return resume('Then', '--base-url', withOtherScheme(baseUrl));
  if (isAddressWrong) return resume('Then', '--base-url', 'URL');
  if (state !== 'complete' || mayResend) return resume('Then');
  return rows.unknown > 0 ? resume(ifNotArrived(rows.unknown, run, context), '--unknown') : undefined;
}

/** The key is sent unencrypted only to this machine, unless the user types the URL. */
function withOtherScheme(baseUrl: string): string {
  if (baseUrl.startsWith('http:')) return baseUrl.replace('http:', 'https:');
  return isLoopback(parseUrl(baseUrl)?.hostname ?? '') ? baseUrl.replace('https:', 'http:') : 'URL';
}

function ifNotArrived(events: number, run: NextRun, context: StepContext): string {
  const they = events === 1 ? 'it' : 'they';
  return (refusedStep(run, context) ?? invalidStep(run, context)) === undefined
    ? `If ${they} arrived, nothing is left to do. If ${they} did not:`
    : `If the ${count(events)} that may have arrived did not:`;
}

/**
 * Whether the rest of the input is lost, and everything before it is settled. An input without a size is a pipe or unpacked data:
 * what could not be read once cannot be read again.
 */
export function isRestLost({
  stop,
  rows,
  sources,
}: Pick<NextRun, 'stop' | 'rows'> & Pick<RunState, 'sources'>): boolean {
  const isSettled = rows.pending + sumOf(rows, openFailures) === 0;
  return stop?.code === 'input' && isSettled && sources.every(({ ended, size }) => ended || size === undefined);
}

/** Whether no request of the run has certainly reached the service. */
export function hasSentNothing({ rows, undelivered }: Pick<RunState, 'rows' | 'undelivered'>): boolean {
  const isSettled = rows.delivered + rows.refused + rows.unknown > 0;
  return !isSettled && [...undelivered.values()].every(({ maybeProcessed }) => !maybeProcessed);
}

/** The same command again, if it is known and no row can have arrived; else the rest is sent on demand. */
function rowStopStep(run: NextRun, { argv, name }: StepContext): NextStep {
  const { stop, rows, service, sentBefore = [] } = run;
  const isChanged = stop?.code === 'changed';
  const isBegun = !isChanged && rows.delivered + rows.refused > 0;
  // With --again, what earlier runs have sent would be sent twice.
  const hasArrived = rows.delivered - service.rejected + rows.unknown + (isBegun ? sentBefore.length : 0) > 0;
  if (argv !== undefined && (isChanged || !hasArrived)) {
    const isPart = isChanged || stop?.code === 'rows';
    const label = isPart ? 'When the input is complete:' : 'Fix the input or the mapping, then:';
    const words = isChanged || isBegun ? withoutOption(argv, '--run-id') : argv;
    return { kind: 'repeat', label, words: isBegun ? withWords(words, consent(run, argv)) : words };
  }
  const words = ['resume', ...name, ...(stop?.code === 'canary' ? ['--setting', 'canary=no'] : [])];
  return { kind: 'resume', label: 'To send the rest anyway:', words };
}

function refusedStep(run: NextRun, { name, rejects }: StepContext): NextStep | undefined {
  if (run.state !== 'complete' || run.rows.refused <= listedRefusals(run, rejects)) return undefined;
  return { kind: 'refused', label: 'Once the cause is fixed:', words: ['resume', ...name, '--refused'] };
}

/** Rows that were refused one by one: they are in the rejects files. */
export function listedRefusals({ rows }: Pick<NextRun, 'rows'>, rejects: readonly RejectsCount[]): number {
  return Math.max(0, rejects.reduce((sum, file) => sum + file.rows, 0) - rows.invalid);
}

function explainStep({ service }: NextRun, { explained, name }: StepContext): NextStep | undefined {
  if (explained === undefined || service.rejected <= explained) return undefined;
  return { kind: 'explain', label: 'To find the rejected rows:', words: ['runs', 'explain', ...name] };
}

/** Stops after which the other variant is the advice. The others have a cause of their own. */
const VARIANT_STOPS: ReadonlySet<StopCode> = new Set(['canary', 'signal']);

/** The API has two name sets for signals and does not say which of them the service accepts. */
function variantStep(run: NextRun, { argv, isRepeat, rejects }: StepContext): NextStep | undefined {
  const { variant, stop } = run;
  if (stop !== undefined && !VARIANT_STOPS.has(stop.code)) return undefined;
  if (variant === undefined || isRepeat || !isNothingAccepted(run)) return undefined;
  // A batch that was refused as a whole says nothing about its records.
  if (run.service.rejected + listedRefusals(run, rejects) === 0) return undefined;
  const other = variant === 'a' ? 'b' : 'a';
  const fact = `It may expect the other field names of the API, variant ${other}`;
  if (argv === undefined)
    return { kind: 'variant', label: `${fact}: send the same data again with \`--variant ${other}\`.` };
  const words = replaceOption(withoutOption(argv, '--run-id'), '--variant', other, ...consent(run, argv));
  return { kind: 'variant', label: `${fact}:`, words };
}

/** Without --again, the program refuses to repeat an unfinished run that has sent something. */
function consent({ state }: NextRun, argv: readonly string[]): readonly string[] {
  return state === 'complete' || argv.includes('--again') ? [] : ['--again'];
}

/** Only social events are skipped because an earlier run left them unknown. */
function unknownBeforeStep(run: NextRun, context: StepContext): NextStep | undefined {
  const before = run.sentBefore?.find(({ state }) => state === 'unknown');
  if (before === undefined) return undefined;
  const label = ifNotArrived(before.rows, run, context);
  return { kind: 'unknown_before', label, words: ['resume', before.run, '--unknown'] };
}

/** `fix` proposes rules, and shows how to upload what only a person can correct. */
function invalidStep(
  { rows, service }: NextRun,
  { name, rejects, hasTransform, hasSkippedFiles }: StepContext,
): NextStep | undefined {
  const kind = 'invalid';
  const open = rejects.find(({ upload }) => upload?.isDone === false)?.upload;
  const isListed = rejects.some(({ upload }) => upload === undefined);
  if (isListed && hasTransform)
    return { kind, label: 'Correct the transform or the rejects file, then upload the rejects file.' };
  if (isListed) return { kind, label: 'Fix', words: ['fix', ...name] };
  if (open !== undefined) return { kind, label: 'See', words: ['runs', 'show', open.last] };
  if (hasSkippedFiles) return { kind, label: 'Correct the skipped files, then upload them.' };
  const isUnlisted = rows.invalid > 0 && rejects.length === 0;
  return isUnlisted || service.rejected + Math.abs(service.unaccounted) > 0
    ? { kind, label: 'The columns "rejected" and "unaccounted" of results.csv show the affected lines.' }
    : undefined;
}

/** Whether the service accepted no record at all: then the field names are the likely cause. */
function isNothingAccepted({ rows, service }: Pick<NextRun, 'rows' | 'service'>): boolean {
  return rows.delivered + rows.refused > 0 && rows.unknown === 0 && service.rejected === rows.delivered;
}

/** A command line with another value of an option, and with more options. */
export function replaceOption(
  words: readonly string[],
  option: string,
  ...values: readonly string[]
): readonly string[] {
  return withWords(withoutOption(words, option), [option, ...values]);
}

function withWords(words: readonly string[], more: readonly string[]): readonly string[] {
  const end = words.includes('--') ? words.indexOf('--') : words.length;
  return words.toSpliced(end, 0, ...more);
}

function withoutOption(words: readonly string[], option: string): readonly string[] {
  return words.filter(
    (word, index) => word !== option && words[index - 1] !== option && !word.startsWith(`${option}=`),
  );
}

/** `5 exhausted, 2 unknown`: the states that have rows. */
export function stateCounts<S extends string>(rows: Readonly<Record<S, number>>, states: readonly S[]): string {
  return states.flatMap((state) => (rows[state] === 0 ? [] : [`${count(rows[state])} ${state}`])).join(', ');
}
