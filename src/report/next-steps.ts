/** "What to do next" after a run: how to fix, resend or resume undelivered rows, each with a command to paste. */
import { contracts } from '../contract/index.ts';
import { printable } from '../lib/printable.ts';
import type { Suggest } from '../lib/shell.ts';
import { count, humanBytes, plural } from '../lib/units.ts';
import type { SentRows } from '../model/commit.ts';
import type { RowCounts } from '../model/counts.ts';
import type { EndState } from '../model/event.ts';
import type { IssueCode } from '../model/issue-code.ts';
import type { Stop, StopCode } from '../model/outcome.ts';
import type { RecordType, Variant } from '../model/record.ts';
import type { Reasons } from './failure-reasons.ts';
import type { Counts, RejectsCount } from './summary.ts';
import { plain, type Style } from './text-layout.ts';

export interface NextStepsContext {
  readonly suggest: Suggest;
  /** The arguments of this run, as typed. Absent if they cannot be repeated. */
  readonly again?: readonly string[] | undefined;
  /** Fields that the other variant requires and that the mapping of the run does not have. */
  readonly missingInOther?: readonly string[] | undefined;
  /** Whether an earlier run has sent other rows of this data: then the names of the fields are not the cause of a refusal. */
  readonly isRepeat?: boolean | undefined;
  readonly files: SummaryFiles;
  /** Why rows are invalid. Absent if `fix` cannot repair them. */
  readonly reasons?: Pick<Reasons, 'invalid'> | undefined;
  /**
   * Rejected records that `runs explain` has named: their rows are in the rejects files. Undefined if it cannot find any: for
   * social events, for the sandbox, and before the run is complete.
   */
  readonly explained?: number | undefined;
  /** As of {@link UnfinishedRun}. */
  readonly isRestLost?: boolean | undefined;
  /** Rows that earlier runs have sent, and that were not sent again. */
  readonly sentBefore?: readonly SentRows[] | undefined;
  /** Why nothing more may be sent from here now. Counts alone. */
  readonly final?: Step | undefined;
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

export type Step = readonly Line[];

/** A step as one indented text. */
export function stepText(step: Step, style: Style = plain): string {
  return step
    .map((line) => (typeof line === 'string' ? `  ${line}` : `  ${line.text}\n    ${style.bold(line.command)}`))
    .join('\n');
}

/** The first command of the steps. Null if there is none. */
export function firstCommand(steps: readonly Step[]): string | null {
  return steps.flat().find((line) => typeof line !== 'string')?.command ?? null;
}

/** One command at most has a line of its own. */
export function nextSteps(summary: Counts, stop: Stop | undefined, context: NextStepsContext): readonly Step[] {
  const { rows, service } = summary;
  const { files, final } = context;
  if (final !== undefined) return [final];
  // Rows that were refused one by one are in the rejects files too.
  const refusedRejects = sum(files.rejects.map((file) => file.rows)) - rows.invalid - (context.explained ?? 0);
  return withOneCommand([
    summary.balanced ? undefined : ['Report this bug with the counts above. The results log lists what was delivered.'],
    rows.refused > Math.max(0, refusedRejects) ? refusedStep(summary, context) : undefined,
    rejectedStep(summary, context),
    service.rejected > 0 || refusedRejects > 0 ? otherVariantStep(summary, context) : undefined,
    resendStep(summary, stop, context),
    unknownBeforeStep(context),
    invalidStep(summary, context),
  ]);
}

/** Only social events are skipped because an earlier run left them unknown. */
function unknownBeforeStep({ sentBefore = [], suggest }: NextStepsContext): Step {
  return sentBefore
    .filter(({ state }) => state === 'unknown')
    .map(({ run, rows }) => ({
      text: `${plural(rows, 'skipped row')} of ${printable(run)} may or may not have arrived. To resend ${rows === 1 ? 'it, although it' : 'them, although they'} may be counted twice:`,
      command: suggest('resume', run, '--unknown'),
    }));
}

/** The first command has a line of its own, to be pasted. A further one becomes part of its sentence. */
export function withOneCommand(steps: readonly (Step | undefined)[]): readonly Step[] {
  const given = steps.filter((step) => step !== undefined).filter((step) => step.length > 0);
  const first = given.flat().find((line) => typeof line !== 'string');
  return given.map((step) =>
    step.map((line) => (typeof line === 'string' || line === first ? line : `${line.text} \`${line.command}\`.`)),
  );
}

function rejectedStep({ run, service }: Counts, { suggest, explained }: NextStepsContext): Step | undefined {
  const { rejected, unaccounted } = service;
  if (rejected === 0 && unaccounted === 0) return undefined;
  if (explained !== undefined && rejected > 0) {
    const left = rejected - explained;
    if (left <= 0) return undefined;
    const which = explained === 0 ? '' : `${count(left)} of `;
    return [
      {
        text: `The service does not say which records it rejected. To find ${which}them, by sending parts of their batches again:`,
        command: suggest('runs', 'explain', run),
      },
    ];
  }
  return [
    `The service does not say which records it ${rejected > 0 ? 'rejected' : 'counted'}. The columns "rejected" and "unaccounted" of the results log show the affected batches and their lines.`,
  ];
}

function refusedStep({ run, rows: { refused }, state }: Counts, { files, suggest }: NextStepsContext): Step {
  const facts = `${inUndelivered(files)}The results log has the lines and answers of refused rows.`;
  // An unfinished run is resumed first.
  return state === 'complete' ? [facts, resendRefused(run, refused, suggest)] : [facts];
}

export function resendRefused(run: string, refused: number, suggest: Suggest): Exclude<Line, string> {
  return {
    text: `The service refused ${plural(refused, 'row')}. To resend ${refused === 1 ? 'it' : 'them'} once the cause is fixed:`,
    command: suggest('resume', run, '--refused'),
  };
}

/** Problems of values, which a rule of the mapping often repairs. */
const REPAIRABLE: ReadonlySet<IssueCode> = new Set(['type', 'enum', 'number', 'range', 'date', 'domain', 'value']);

/** The rules that the program proposes, or else an editor. `fix` also shows how to upload what was corrected by hand. */
function invalidStep(summary: Counts, context: NextStepsContext): Step | undefined {
  const { rows, run, type } = summary;
  const { files, reasons, suggest } = context;
  if (files.rejects.every((file) => file.rows === 0)) return undefined;
  const uploaded = uploadedStep(files.rejects, suggest);
  if (uploaded !== undefined) return uploaded;
  const groups = reasons?.invalid() ?? [];
  // For a missing name or title there is rarely a rule; a closed list has a value for everything else.
  const isLikely = groups.some(
    ({ code, field = '' }) =>
      REPAIRABLE.has(code) || (code === 'missing' && contracts[type].field(field)?.kind.name === 'enum'),
  );
  if (isLikely && files.mapping !== undefined) {
    const what = rows.invalid === 1 ? 'the invalid row' : `the ${count(rows.invalid)} invalid rows`;
    return [
      { text: `To repair ${what} by rules that the program proposes, or by hand:`, command: suggest('fix', run) },
    ];
  }
  return rejectsStep(summary, context);
}

/** Rows of an uploaded rejects file belong to the run that uploaded it. Undefined if a file was not uploaded. */
function uploadedStep(rejects: readonly RejectsCount[], suggest: Suggest): Step | undefined {
  const uploads = rejects.flatMap(({ upload }) => upload ?? []);
  if (uploads.length < rejects.length) return undefined;
  const open = uploads.find(({ isDone }) => !isDone);
  if (open === undefined) return [];
  return [
    {
      text: 'The rejected rows were uploaded, but not all of them delivered. For what is left:',
      command: suggest('runs', 'show', open.run),
    },
  ];
}

export function rejectsStep(
  { type, variant }: Pick<Counts, 'type' | 'variant'>,
  { files, suggest }: Pick<NextStepsContext, 'files' | 'suggest'>,
): Step | undefined {
  const rejects = files.rejects.filter((file) => file.rows > 0);
  if (rejects.length === 0) return undefined;
  const rejected = sum(rejects.map((file) => file.rows));
  const form =
    files.mapping === undefined
      ? ['--type', type, ...(variant === undefined ? [] : ['--variant', variant])]
      : ['-m', files.mapping];
  return [
    {
      text: `Fix the ${rejected === 1 ? 'row' : `${count(rejected)} rows`} in the rejects ${rejects.length === 1 ? 'file' : 'files'}, then:`,
      command: suggest('upload', ...form, ...rejects.map((file) => file.path)),
    },
  ];
}

/** The API has two name sets for signals and does not say which of them the service accepts. */
function otherVariantStep(summary: Counts, context: NextStepsContext): Step | undefined {
  const { variant } = summary;
  if (variant === undefined || context.isRepeat || !isNothingAccepted(summary)) return undefined;
  const other = otherVariant(variant);
  const used = variant === 'both' ? 'both variants' : `variant ${variant}`;
  const fact = `The service accepted no record with the field names of ${used}.`;
  const { again, missingInOther = [] } = context;
  if (missingInOther.length > 0) {
    const options = missingInOther.map((field) => `-c ${field}=COLUMN`).join(' ');
    return [
      `${fact} Variant ${other} requires ${missingInOther.join(' and ')}, which no column is mapped to. If the input has that data, add ${options} --variant ${other} and send the same data again.`,
    ];
  }
  const advice = `${fact} Try variant ${other}`;
  if (again === undefined) return [`${advice}: add --variant ${other} and send the same data again.`];
  // Without --again, the program refuses to repeat an unfinished run under a new name.
  const consent = summary.state === 'complete' || again.includes('--again') ? [] : ['--again'];
  const words = replaceOption(withoutOption(again, '--run-id'), '--variant', other, ...consent);
  return [{ text: `${advice}:`, command: context.suggest(...words) }];
}

/** Whether the service accepted no record at all: then the field names are the likely cause. */
export function isNothingAccepted({ rows, service }: Pick<Counts, 'rows' | 'service'>): boolean {
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

/** About rows that another try could deliver: not read, pending, exhausted, or unknown. */
function resendStep(summary: Counts, stop: Stop | undefined, context: NextStepsContext): Step | undefined {
  const { pending, exhausted, unknown } = summary.rows;
  const unread = summary.inputs.filter((input) => input.bytesUnread !== 0);
  const sendable = pending + exhausted + unknown;
  if (sendable === 0 && unread.length === 0) return undefined;
  // The process that took over has the current counts, and sends what is left.
  if (stop?.code === 'lost') return undefined;
  const facts = undeliveredFacts(summary, context.files);
  const after = stop && AFTER_STOP[stop.code];
  if (after !== undefined) return [...facts, ...after(summary, context)];
  const needsFix = stop !== undefined && stop.code !== 'signal';
  return [
    ...facts,
    ...resendLines({ ...summary, left: summary.rows, isRestLost: context.isRestLost }, context.suggest, needsFix),
  ];
}

/** What to do after stops that resuming alone does not get over. */
const AFTER_STOP: { readonly [C in StopCode]?: (summary: Counts, context: NextStepsContext) => Step } = {
  folder: (_summary, { suggest }) => [
    'If the run folder was deleted, upload the input again; rows that were already delivered are then sent twice.',
    { text: 'If it was renamed or moved, resume it by its new path:', command: suggest('resume', 'NEW_PATH') },
  ],
  // A run whose input has changed cannot be resumed.
  changed({ type }, { again, suggest }) {
    const skipped = contracts[type].deduplicates
      ? 'the service deduplicates delivered signals'
      : 'delivered events are skipped';
    const advice = `When the input is complete, upload it again; ${skipped}`;
    if (again === undefined) return [`${advice}.`];
    return [{ text: `${advice}:`, command: suggest(...withoutOption(again, '--run-id')) }];
  },
  // The rows are the cause: a resume would stop again, so only the user can decide to send the rest.
  canary: ({ run }, { suggest }) => [{ text: SEND_REST, command: suggest('resume', run, '--setting', 'canary=no') }],
  invalid: ({ run }, { suggest }) => [{ text: SEND_REST, command: suggest('resume', run) }],
  rows: ({ run }, { suggest }) => [{ text: SEND_REST, command: suggest('resume', run) }],
};

const SEND_REST = 'To send the rest anyway:';

const SENDS_REST: ReadonlySet<StopCode> = new Set(['canary', 'invalid', 'rows']);

/** One sentence per input that was not read to its end and per state of rows that were not delivered. */
function undeliveredFacts(summary: Counts, files: SummaryFiles): readonly string[] {
  const { pending, exhausted, unknown } = summary.rows;
  const lines: string[] = [];
  for (const { source, bytesUnread } of summary.inputs) {
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

/** The properties of a run that decide how to send its undelivered rows. */
export interface UnfinishedRun {
  readonly run: string;
  readonly type: RecordType;
  /** `running`: a process works on it now. A killed run is interrupted. */
  readonly state: EndState | 'running';
  /** Why it stopped. */
  readonly stop?: Pick<Stop, 'code' | 'message'> | undefined;
  /** Undelivered rows. */
  readonly left: Readonly<Pick<RowCounts, 'refused' | 'exhausted' | 'unknown' | 'pending'>>;
  /** Whether everything that could be read is settled, and the rest cannot be read again. */
  readonly isRestLost?: boolean | undefined;
  /** When the right to send was given to an archive or another folder. */
  readonly handedOver?: { readonly time: string; readonly to: string } | undefined;
}

/**
 * Arguments of the command that continues a run. Null if nothing is left, or if the user must decide first: about
 * refused rows, and about social events whose outcome is unknown.
 */
export function nextArguments({
  run,
  type,
  state,
  stop,
  left,
  isRestLost,
  handedOver,
}: UnfinishedRun): readonly string[] | null {
  if (handedOver !== undefined || state === 'running' || isRestLost) return null;
  if (state !== 'complete') return ['resume', run, ...(stop?.code === 'canary' ? ['--setting', 'canary=no'] : [])];
  const again = left.exhausted + (contracts[type].deduplicates ? left.unknown : 0);
  return again > 0 ? ['resume', run] : null;
}

/** How to send the undelivered rows of a run: sentences, each followed by a command. */
export function resendLines(run: UnfinishedRun, suggest: Suggest, needsFix = false): Step {
  if (run.isRestLost) return ['Nothing left to resume. Export the missing data again and upload it.'];
  const { exhausted, unknown } = run.left;
  const { deduplicates } = contracts[run.type];
  const isComplete = run.state === 'complete';
  const lines: Line[] = [];
  const next = nextArguments(run);
  const isAfterStop = run.state === 'stopped' && run.stop !== undefined && SENDS_REST.has(run.stop.code);
  if (next !== null && isAfterStop) {
    lines.push({ text: `${printable(run.stop?.message ?? '', 300)} ${SEND_REST}`, command: suggest(...next) });
  } else if (next !== null) {
    const sent = { exhausted, unknown: deduplicates ? unknown : 0 };
    const rows = sent.exhausted + sent.unknown === 1 ? 'row' : 'rows';
    const what = isComplete ? `resend ${stateCounts(sent, ' and ')} ${rows}` : 'resume';
    const request = needsFix ? `Once fixed, ${what}` : `${what.charAt(0).toUpperCase()}${what.slice(1)}`;
    const twice =
      unknown === 0
        ? '; nothing is sent twice:'
        : deduplicates
          ? '. Unknown rows may be sent twice; the service deduplicates them:'
          : '; unknown rows stay on hold:';
    lines.push({ text: `${request}${twice}`, command: suggest(...next) });
  }
  if (unknown > 0 && !deduplicates) {
    lines.push({
      text: `The API documents no deduplication of events, so ${plural(unknown, 'unknown row is', 'unknown rows are')} on hold. To resend ${unknown === 1 ? 'it, although it' : 'them, although they'} may be counted twice:`,
      command: suggest('resume', run.run, '--unknown'),
    });
  }
  return lines;
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
