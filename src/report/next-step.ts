/**
 * What a run needs next, decided in one place: a pure function of its state. The summary, `runs`, the report, `--json`, merge and
 * refusals print its value. A step without a command is a sentence.
 */
import { contracts } from '../contract/index.ts';
import { printable } from '../lib/printable.ts';
import type { Suggest } from '../lib/shell.ts';
import { count, humanBytes, plural } from '../lib/units.ts';
import type { SentRows } from '../model/batch.ts';
import type { StopCode } from '../model/outcome.ts';
import type { RecordType, Variant } from '../model/record.ts';
import type { IssueCode } from '../model/row.ts';
import type { RunFacts, RunState } from '../model/run-state.ts';
import type { Reasons } from './failure-reasons.ts';
import type { Counts, RejectsCount } from './summary.ts';
import { plain, type Style, whenText } from './text-layout.ts';

export interface NextStep {
  readonly kind: NextStepKind;
  /** What to know first, in sentences. */
  readonly facts?: readonly string[] | undefined;
  /** A sentence. Ends with a colon if a command follows. */
  readonly reason: string;
  /** Arguments of the command. Absent if no command helps. */
  readonly words?: readonly string[] | undefined;
}

/** Steps of {@link SENDS} send rows of the run itself. */
type NextStepKind =
  | 'bug'
  | 'final'
  | 'lost'
  | 'resume'
  | 'anyway'
  | 'unknown'
  | 'refused'
  | 'moved'
  | 'again'
  | 'variant'
  | 'explain'
  | 'unknown_before'
  | 'fix'
  | 'rejects'
  | 'skipped_files'
  | 'show';

const SENDS: ReadonlySet<NextStepKind> = new Set(['final', 'lost', 'resume', 'anyway', 'unknown', 'refused']);

/** What the catalogue of runs and a run state both know. */
export interface NextRun extends RunFacts {
  readonly run: string;
  readonly type: RecordType;
  readonly variant?: Variant | undefined;
  /** `running`: a process works on it now. A killed run is interrupted. */
  readonly state: RunState['state'];
}

/** What only the folder and the journal of a run know. */
export interface RunDetails extends Pick<Counts, 'balanced' | 'inputs'> {
  readonly files: SummaryFiles;
  /** The arguments of this run, as typed. Absent if they cannot be repeated. */
  readonly again?: readonly string[] | undefined;
  /** Fields that the other variant requires and that the mapping of the run does not have. */
  readonly missingInOther?: readonly string[] | undefined;
  /** Whether an earlier run has sent other rows of this data: then the names of the fields are not the cause of a refusal. */
  readonly isRepeat?: boolean | undefined;
  /** Why rows are invalid. Absent if `fix` cannot repair them. */
  readonly reasons?: Pick<Reasons, 'invalid'> | undefined;
  /**
   * Rejected records that `runs explain` has named: their rows are in the rejects files. Undefined if it cannot find any: for
   * social events, for the sandbox, and before the run is complete.
   */
  readonly explained?: number | undefined;
  /** Rows that earlier runs have sent, and that were not sent again. */
  readonly sentBefore?: readonly SentRows[] | undefined;
  /** Whether the upload has left out files. */
  readonly hasSkippedFiles?: boolean | undefined;
}

/** Paths as the user can type them. All files are in the run folder. */
export interface SummaryFiles {
  /** The run folder, or the one of several runs. */
  readonly folder: string;
  /** Absent for several runs. */
  readonly results?: string | undefined;
  /** Absent for several runs. */
  readonly mapping?: string | undefined;
  readonly rejects: readonly RejectsCount[];
  /** Absent if every batch was delivered. */
  readonly undelivered?: string | undefined;
}

/** A sentence, or one that ends with a colon and the command to paste. */
type Line = string | { readonly text: string; readonly command: string };

/** A step in words. */
export type Step = readonly Line[];

/** One command at most has a line of its own, to be pasted. A further one becomes part of its sentence. */
export function describeSteps(steps: readonly NextStep[], suggest: Suggest): readonly Step[] {
  const first = nextStep(steps);
  return steps.map((step): Step => {
    const { facts = [], reason, words } = step;
    if (words === undefined) return [...facts, reason];
    const command = suggest(...words);
    return [...facts, step === first ? { text: reason, command } : `${reason} \`${command}\`.`];
  });
}

/** A step as one indented text. */
export function stepText(step: Step, style: Style = plain): string {
  return step
    .map((line) => (typeof line === 'string' ? `  ${line}` : `  ${line.text}\n    ${style.bold(line.command)}`))
    .join('\n');
}

/** The one step that counts: the first with a command, or else a sentence. Undefined if nothing is left to do. */
export function nextStep(steps: readonly NextStep[]): NextStep | undefined {
  return steps.find(({ words }) => words !== undefined) ?? steps[0];
}

/** The command to type next. Null if no command helps. */
export function nextCommand(steps: readonly NextStep[], suggest: Suggest): string | null {
  const words = nextStep(steps)?.words;
  return words === undefined ? null : suggest(...words);
}

/** Those that send rows of the run itself. */
export function sendingSteps(steps: readonly NextStep[]): readonly NextStep[] {
  return steps.filter(({ kind }) => SENDS.has(kind));
}

/** What to do about a run, the most urgent first. @param details absent in a list of runs */
export function nextSteps(run: NextRun, details?: RunDetails): readonly NextStep[] {
  const final = finalReason(run);
  if (final !== undefined) return [{ kind: 'final', reason: final }];
  const steps = details === undefined ? listedSteps(run) : detailedSteps(run, details);
  return steps.filter((step) => step !== undefined);
}

/** Why nothing may be sent from here now, if so. */
function finalReason({ handedOver, state }: NextRun): string | undefined {
  if (handedOver !== undefined)
    return `Handed over on ${whenText(handedOver.time)}: only ${printable(handedOver.to, 200)} may send it.`;
  return state === 'running' ? 'A process is working on it now.' : undefined;
}

/** From the catalogue alone. For rows that no resume helps, `runs show` knows more. */
function listedSteps(run: NextRun): readonly (NextStep | undefined)[] {
  const { rejected, unaccounted } = run.service;
  const { invalid } = run.rows;
  const sending = run.stop?.code === 'canary' && run.variant !== undefined ? [] : sendSteps(run);
  const steps = [...sending, refusedStep(run)].filter((step) => step !== undefined);
  const rows = rejected + unaccounted + invalid;
  if (steps.length > 0 || rows === 0) return steps;
  const what = stateCounts({ rejected, unaccounted, invalid }, ' and ');
  const reason = `What to do about the ${what} ${rows === 1 ? 'row' : 'rows'}:`;
  return [{ kind: 'show', reason, words: ['runs', 'show', run.run] }];
}

function detailedSteps(run: NextRun, details: RunDetails): readonly (NextStep | undefined)[] {
  const { rows, service } = run;
  const { balanced, files, explained = 0, hasSkippedFiles } = details;
  // Rows that were refused one by one are in the rejects files too.
  const refusedRejects = sum(files.rejects.map((file) => file.rows)) - rows.invalid - explained;
  return [
    balanced ? undefined : { kind: 'bug', reason: BUG },
    service.rejected > 0 || refusedRejects > 0 ? otherVariantStep(run, details) : undefined,
    ...sendSteps(run, details),
    rows.refused > Math.max(0, refusedRejects) ? refusedStep(run, files) : undefined,
    rejectedStep(run, details),
    ...unknownBeforeSteps(details),
    ...invalidSteps(run, details),
    hasSkippedFiles ? { kind: 'skipped_files', reason: 'Correct the skipped files, then upload them.' } : undefined,
  ];
}

const BUG = 'Report this bug with the counts above. The results log lists what was delivered.';

/** About rows that another try could deliver: not read, pending, exhausted, or unknown. */
function sendSteps(run: NextRun, details?: RunDetails): readonly NextStep[] {
  const { state, stop, isRestLost, rows, type } = run;
  // The process that took over has the current counts, and sends what is left.
  if (stop?.code === 'lost') return [];
  const isAgain = rows.exhausted + (contracts[type].deduplicates ? rows.unknown : 0) > 0;
  const steps: NextStep[] = [];
  if (isRestLost) {
    steps.push({ kind: 'lost', reason: 'Nothing left to resume. Export the missing data again and upload it.' });
  } else if (stop?.code === 'folder') steps.push(MOVED);
  else if (stop?.code === 'changed' && details !== undefined) steps.push(changedStep(run, details));
  else if (stop !== undefined && SENDS_REST.has(stop.code)) steps.push(...restSteps(run, details));
  else if (state !== 'complete' || isAgain) steps.push(resumeStep(run));
  // A run whose rows are not sent by a resume stays stopped.
  const isHeld = rows.unknown > 0 && !contracts[type].deduplicates && !isRestLost && !isStuck(stop?.code);
  if (isHeld) steps.push(unknownStep(run));
  const [first, ...others] = steps;
  if (first === undefined || details === undefined) return steps;
  return [{ ...first, facts: [...undeliveredFacts(run, details), ...(first.facts ?? [])] }, ...others];
}

function isStuck(code: StopCode | undefined): boolean {
  return code !== undefined && (SENDS_REST.has(code) || code === 'folder' || code === 'changed');
}

const MOVED: NextStep = {
  kind: 'moved',
  facts: [
    'If the run folder was deleted, upload the input again; rows that were already delivered are then sent twice.',
  ],
  reason: 'If it was renamed or moved, resume it by its new path:',
  words: ['resume', 'NEW_PATH'],
};

/** A run whose input has changed cannot be resumed. */
function changedStep({ type }: NextRun, { again }: RunDetails): NextStep {
  const skipped = contracts[type].deduplicates
    ? 'the service deduplicates delivered signals'
    : 'delivered events are skipped';
  const advice = `When the input is complete, upload it again; ${skipped}`;
  if (again === undefined) return { kind: 'again', reason: `${advice}.` };
  return { kind: 'again', reason: `${advice}:`, words: withoutOption(again, '--run-id') };
}

/** The rows are the cause of these stops: a resume would stop again, so only the user can decide to send the rest. */
const SENDS_REST: ReadonlySet<StopCode> = new Set(['canary', 'invalid', 'rows']);

function restSteps({ run, stop, rows }: NextRun, details?: RunDetails): readonly NextStep[] {
  const why = details === undefined ? `${printable(stop?.message ?? '', 300)} ` : '';
  const words = ['resume', run, ...(stop?.code === 'canary' ? ['--setting', 'canary=no'] : [])];
  const anyway: NextStep = { kind: 'anyway', reason: `${why}To send the rest anyway:`, words };
  // It does not block a later upload of the same data.
  const hasSentNothing = rows.delivered + rows.refused + rows.unknown === 0;
  if (stop?.code === 'canary' || !hasSentNothing || details?.again === undefined) return [anyway];
  return [
    { kind: 'again', reason: 'Nothing was sent. Fix the input, then upload it again:', words: details.again },
    anyway,
  ];
}

function resumeStep({ run, type, state, stop, rows }: NextRun): NextStep {
  const { exhausted, unknown } = rows;
  const { deduplicates } = contracts[type];
  const sent = { exhausted, unknown: deduplicates ? unknown : 0 };
  const noun = sent.exhausted + sent.unknown === 1 ? 'row' : 'rows';
  const what = state === 'complete' ? `resend ${stateCounts(sent, ' and ')} ${noun}` : 'resume';
  const isWrongAddress = stop?.code === 'address';
  const needsFix = stop !== undefined && stop.code !== 'signal';
  const request = needsFix ? `Once fixed, ${what}` : `${what.charAt(0).toUpperCase()}${what.slice(1)}`;
  const twice =
    unknown === 0
      ? '; nothing is sent twice:'
      : deduplicates
        ? '. Unknown rows may be sent twice; the service deduplicates them:'
        : '; unknown rows stay on hold:';
  return {
    kind: 'resume',
    reason: `${request}${isWrongAddress ? ' with the right base URL' : ''}${twice}`,
    words: ['resume', run, ...(isWrongAddress ? ['--base-url', 'URL'] : [])],
  };
}

/** Social events leave this state only by the user's decision. */
function unknownStep({ run, rows: { unknown } }: NextRun): NextStep {
  const [are, them] = unknown === 1 ? ['is', 'it, although it'] : ['are', 'them, although they'];
  return {
    kind: 'unknown',
    reason: `${plural(unknown, 'event')} may have arrived and ${are} on hold, because the API documents no deduplication of events. To resend ${them} may be counted twice:`,
    words: ['resume', run, '--unknown'],
  };
}

/** Only social events are skipped because an earlier run left them unknown. */
function unknownBeforeSteps({ sentBefore = [] }: RunDetails): readonly NextStep[] {
  return sentBefore
    .filter(({ state }) => state === 'unknown')
    .map(({ run, rows }) => ({
      kind: 'unknown_before',
      reason: `${plural(rows, 'skipped row')} of ${printable(run)} may or may not have arrived. To resend ${rows === 1 ? 'it, although it' : 'them, although they'} may be counted twice:`,
      words: ['resume', run, '--unknown'],
    }));
}

function refusedStep({ run, rows: { refused }, state }: NextRun, files?: SummaryFiles): NextStep | undefined {
  const where = files && `${inUndelivered(files)}The results log has the lines and answers of refused rows.`;
  // An unfinished run is resumed first.
  if (state !== 'complete') return where === undefined ? undefined : { kind: 'refused', reason: where };
  if (refused === 0) return undefined;
  return {
    kind: 'refused',
    facts: where === undefined ? [] : [where],
    reason: `The service refused ${plural(refused, 'row')}. To resend ${refused === 1 ? 'it' : 'them'} once the cause is fixed:`,
    words: ['resume', run, '--refused'],
  };
}

function rejectedStep({ run, service }: NextRun, { explained }: RunDetails): NextStep | undefined {
  const { rejected, unaccounted } = service;
  if (rejected === 0 && unaccounted === 0) return undefined;
  if (explained !== undefined && rejected > 0) {
    const left = rejected - explained;
    if (left <= 0) return undefined;
    const which = explained === 0 ? '' : `${count(left)} of `;
    return {
      kind: 'explain',
      reason: `The service does not say which records it rejected. To find ${which}them, by sending parts of their batches again:`,
      words: ['runs', 'explain', run],
    };
  }
  return {
    kind: 'explain',
    reason: `The service does not say which records it ${rejected > 0 ? 'rejected' : 'counted'}. The columns "rejected" and "unaccounted" of the results log show the affected batches and their lines.`,
  };
}

/** The API has two name sets for signals and does not say which of them the service accepts. */
function otherVariantStep(run: NextRun, details: RunDetails): NextStep | undefined {
  const { variant, state } = run;
  const { again, missingInOther = [], isRepeat } = details;
  if (variant === undefined || isRepeat || !isNothingAccepted(run)) return undefined;
  const other = otherVariant(variant);
  const used = variant === 'both' ? 'both variants' : `variant ${variant}`;
  const fact = `The service accepted no record with the field names of ${used}.`;
  if (missingInOther.length > 0) {
    const options = missingInOther.map((field) => `-c ${field}=COLUMN`).join(' ');
    return {
      kind: 'variant',
      reason: `${fact} Variant ${other} requires ${missingInOther.join(' and ')}, which no column is mapped to. If the input has that data, add ${options} --variant ${other} and send the same data again.`,
    };
  }
  const advice = `${fact} Try variant ${other}`;
  if (again === undefined) {
    return { kind: 'variant', reason: `${advice}: add --variant ${other} and send the same data again.` };
  }
  // Without --again, the program refuses to repeat an unfinished run under a new name.
  const consent = state === 'complete' || again.includes('--again') ? [] : ['--again'];
  const words = replaceOption(withoutOption(again, '--run-id'), '--variant', other, ...consent);
  return { kind: 'variant', reason: `${advice}:`, words };
}

/** Problems of values, which a rule of the mapping often repairs. */
const REPAIRABLE: ReadonlySet<IssueCode> = new Set(['type', 'enum', 'number', 'range', 'date', 'domain', 'value']);

/** The rules that the program proposes, or else an editor. `fix` also shows how to upload what was corrected by hand. */
function invalidSteps({ rows, run, type, variant }: NextRun, { files, reasons }: RunDetails): readonly NextStep[] {
  if (files.rejects.every((file) => file.rows === 0)) return [];
  const uploaded = uploadedSteps(files.rejects);
  if (uploaded !== undefined) return uploaded;
  const groups = reasons?.invalid() ?? [];
  // For a missing name or title there is rarely a rule; a closed list has a value for everything else.
  const isLikely = groups.some(
    ({ code, field = '' }) =>
      REPAIRABLE.has(code) || (code === 'missing' && contracts[type].field(field)?.kind.name === 'enum'),
  );
  if (!isLikely || files.mapping === undefined) return rejectsSteps({ type, variant, files });
  const what = rows.invalid === 1 ? 'the invalid row' : `the ${count(rows.invalid)} invalid rows`;
  return [
    { kind: 'fix', reason: `To repair ${what} by rules that the program proposes, or by hand:`, words: ['fix', run] },
  ];
}

/** Rows of an uploaded rejects file belong to the run that uploaded it. Undefined if a file was not uploaded. */
function uploadedSteps(rejects: readonly RejectsCount[]): readonly NextStep[] | undefined {
  const uploads = rejects.flatMap(({ upload }) => upload ?? []);
  if (uploads.length < rejects.length) return undefined;
  const open = uploads.find(({ isDone }) => !isDone);
  if (open === undefined) return [];
  const reason = 'The rejected rows were uploaded, but not all of them delivered. For what is left:';
  return [{ kind: 'rejects', reason, words: ['runs', 'show', open.run] }];
}

export function rejectsSteps({
  type,
  variant,
  files,
}: Pick<NextRun, 'type' | 'variant'> & { readonly files: SummaryFiles }): readonly NextStep[] {
  const rejects = files.rejects.filter((file) => file.rows > 0);
  if (rejects.length === 0) return [];
  const rejected = sum(rejects.map((file) => file.rows));
  const form =
    files.mapping === undefined
      ? ['--type', type, ...(variant === undefined ? [] : ['--variant', variant])]
      : ['-m', files.mapping];
  return [
    {
      kind: 'rejects',
      reason: `Fix the ${rejected === 1 ? 'row' : `${count(rejected)} rows`} in the rejects ${rejects.length === 1 ? 'file' : 'files'}, then:`,
      words: ['upload', ...form, ...rejects.map((file) => file.path)],
    },
  ];
}

/** One sentence per input that was not read to its end and per state of rows that were not delivered. */
function undeliveredFacts({ rows }: NextRun, { inputs, files }: RunDetails): readonly string[] {
  const { pending, exhausted, unknown } = rows;
  const lines: string[] = [];
  for (const { source, bytesUnread } of inputs) {
    if (bytesUnread === 0) continue;
    const rest = bytesUnread === null ? 'The rest' : `The last ${humanBytes(bytesUnread)}`;
    lines.push(`${rest} of ${printable(source, 120)} was not read or sent.`);
  }
  if (pending > 0) {
    const none = pending === 1 ? 'it did not reach' : 'none reached';
    lines.push(
      `${plural(pending, 'pending row was', 'pending rows were')} read but not delivered; ${none} the service.`,
    );
  }
  if (exhausted > 0) {
    lines.push(`${plural(exhausted, 'exhausted row')} did not arrive. ${inUndelivered(files)}`.trimEnd());
  }
  if (unknown > 0) {
    lines.push(`${plural(unknown, 'unknown row')} may or may not have arrived. ${inUndelivered(files)}`.trimEnd());
  }
  return lines;
}

/** Whether the service accepted no record at all: then the field names are the likely cause. */
export function isNothingAccepted({ rows, service }: Pick<RunFacts, 'rows' | 'service'>): boolean {
  return rows.delivered + rows.refused > 0 && rows.unknown === 0 && service.rejected === rows.delivered;
}

export function otherVariant(variant: Variant): Variant {
  return variant === 'a' ? 'b' : 'a';
}

/** A command line with another value of an option, and with more options. */
export function replaceOption(
  words: readonly string[],
  option: string,
  ...values: readonly string[]
): readonly string[] {
  const others = withoutOption(words, option);
  const end = others.includes('--') ? others.indexOf('--') : others.length;
  return others.toSpliced(end, 0, option, ...values);
}

/** A command line without an option and its value. */
function withoutOption(words: readonly string[], option: string): readonly string[] {
  return words.filter(
    (word, index) => word !== option && words[index - 1] !== option && !word.startsWith(`${option}=`),
  );
}

/** `5 exhausted, 2 unknown`: the states that have rows. */
export function stateCounts(rows: Readonly<Record<string, number>>, separator = ', '): string {
  return Object.entries(rows)
    .flatMap(([state, number]) => (number === 0 ? [] : [`${count(number)} ${state}`]))
    .join(separator);
}

function inUndelivered(files: SummaryFiles): string {
  return files.undelivered === undefined ? '' : `The requests are in ${printable(nameIn(files, files.undelivered))}. `;
}

/** The name of a file within the run folder. */
export function nameIn({ folder }: SummaryFiles, path: string): string {
  return path.startsWith(folder) ? path.slice(folder.length + 1) : path;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
