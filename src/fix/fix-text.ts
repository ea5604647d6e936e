/** The output of `signals fix`: what is wrong with the rows in the rejects files of a run, and which rules repair them. */
import { printable } from '../lib/printable.ts';
import { count, plural } from '../lib/units.ts';
import type { IssueCode, RowPlace } from '../model/row.ts';
import type { ReasonGroup, RunState } from '../model/run-state.ts';
import { isNeedless } from '../report/ending-text.ts';
import { describeReason, EXCERPTS } from '../report/problem-text.ts';
import { bullets, place, plain, type Style, when } from '../report/text-layout.ts';
import type { Cause, ProposedFix, Rule } from './propose-fix.ts';

const LINE_LENGTH = 300;
const VALUE_LENGTH = 60;

/** `signal_source: 20 rows have values that are not allowed (first in.csv:14)`. */
export function describeFixCause({ kind, field, rows, first }: Cause, names: readonly string[]): string {
  const subject = field === undefined ? '' : `${field}: `;
  const [has, at] = rows === 1 ? ['has', 'at'] : ['have', 'first at'];
  const what = {
    empty: rows === 1 ? 'contains words for "no value"' : 'contain words for "no value"',
    value: rows === 1 ? `${has} an invalid value` : `${has} invalid values`,
    missing: `${has} no value`,
    rest: rows === 1 ? `${has} a value that cannot be read` : `${has} values that cannot be read`,
  }[kind];
  return `${subject}${plural(rows, 'row')} ${what} (${at} ${place(names, first)})`;
}

export function ruleLines(rule: Rule, rows: number, names: readonly string[], style: Style = plain): readonly string[] {
  const { line, why, repaired, valid, examples } = rule;
  const [becomes, rest] =
    valid === 0 ? ['', ' Other problems of the rows remain.'] : [`, and makes ${plural(valid, 'row')} valid`, ''];
  return [
    `  ${style.bold(printable(line, LINE_LENGTH))}`,
    `  Repairs ${repaired > rows ? plural(repaired, 'row') : `${count(repaired)} of ${plural(rows, 'row')}`}${becomes}: ${printable(why)}.${rest}`,
    ...examples.map((example) => {
      const before = example.before === undefined ? 'empty' : `"${printable(example.before, VALUE_LENGTH)}"`;
      const after = example.after === undefined ? 'omitted' : printable(JSON.stringify(example.after), VALUE_LENGTH);
      return `    ${place(names, example)}  ${example.field}: ${before} -> ${after}`;
    }),
  ];
}

function invalidLines({ left, open, names, type, variant }: FixResult): readonly string[] {
  return left.map((group) => {
    const [first] = group.examples;
    const isOpen = open.some(({ cause, rules }) => cause.field === group.field && rules.length > 0);
    const correct = isNeedless(group, type, variant) ? NEEDLESS : (ADVICE[group.code] ?? CORRECT);
    const at = first === undefined ? '' : ` (${group.rows === 1 ? 'at' : 'first at'} ${place(names, first)})`;
    const value = printable(first?.found ?? '', VALUE_LENGTH);
    const quoted = EXCERPTS.has(group.code) ? `"${value}"` : value;
    const found = first?.found === undefined ? '' : `, ${group.rows === 1 ? 'found' : 'for example'} ${quoted}`;
    return `${plural(group.rows, 'row')}: ${describeReason(group)}${found}${at}. ${isOpen ? CHOOSE : correct}`;
  });
}

function junkLines([first, ...others]: readonly RowPlace[], names: readonly string[]): readonly string[] {
  if (first === undefined) return [];
  const rows = plural(
    others.length + 1,
    'row is the header again, a total or a note',
    'rows are the header again, totals or notes',
  );
  const them = others.length === 0 ? 'it' : 'them';
  return [`${rows} (first at ${place(names, first)}). Delete ${them} from the rejects file.`];
}

const CHOOSE = 'Choose one of their rules above, or correct the rejects file.';
const CORRECT = 'Correct the rejects file.';
const NEEDLESS = 'Correct the rejects file, or upload it with `--variant a`, which needs none.';

const ADVICE: Readonly<Partial<Record<IssueCode, string>>> = {
  cell: 'Put the values into the rejects file; or correct the formulas in Excel or LibreOffice, save the workbook, and upload it again.',
  constants: 'Delete the rows, or map another column.',
  transform: 'Correct the transform module, and upload the rejects again.',
  size: 'Shorten the values, or raise max_row_bytes or max_bytes.',
};

export interface FixResult extends Pick<RunState, 'type' | 'variant'> {
  readonly run: string;
  readonly names: readonly string[];
  readonly counts: FixCounts;
  readonly accepted: readonly { readonly fix: ProposedFix; readonly rule: Rule }[];
  readonly open: readonly ProposedFix[];
  readonly junk: readonly RowPlace[];
  readonly left: readonly Readonly<ReasonGroup>[];
  readonly saved: string | undefined;
  /** The file with other rules, which an earlier command has saved. */
  readonly replaced: string | undefined;
  /** Whether rules were found, and the user has yet to choose. */
  readonly isOpen: boolean;
  readonly next: string;
}

interface FixCounts {
  /** Rows in the rejects files. */
  readonly listed: number;
  /** Those that are valid: the service refused them, or the user has corrected them. */
  readonly valid: number;
  /** Those of them that the service refused. */
  readonly refused: number;
  readonly invalid: number;
  /** Those of them that cannot be parsed. */
  readonly unreadable: number;
  /** Invalid rows that the rules make valid. */
  readonly repaired: number;
}

export function fixIntroduction(
  files: readonly string[],
  { listed, valid, refused }: FixCounts,
  isCut: boolean,
): string {
  const corrected = valid - refused;
  return [
    `${isCut ? `The first ${count(listed)} rows` : plural(listed, 'row')} in ${files.map((file) => printable(file)).join(', ')}.`,
    ...when(
      refused > 0,
      `${plural(refused, 'row was', 'rows were')} refused by the service, for the reason in _reason. No rule repairs that.`,
    ),
    ...when(corrected > 0, `${plural(corrected, 'row was', 'rows were')} corrected.`),
  ].join('\n');
}

export function fixSummary(result: FixResult): readonly string[] {
  const { names, counts, accepted, junk, saved, replaced, next } = result;
  const unread = `${plural(counts.unreadable, 'row')} cannot be parsed, for the reason in _reason. Correct the rejects file.`;
  const sentences = [...junkLines(junk, names), ...when(counts.unreadable > 0, unread), ...invalidLines(result)];
  const make = accepted.length === 0 ? 'These rules make' : plural(accepted.length, 'rule makes', 'rules make');
  const outcome =
    saved === undefined && counts.repaired === 0
      ? [nothingRepaired(result)]
      : [
          `${make} ${count(counts.repaired)} of ${plural(counts.invalid, 'invalid row')} valid.`,
          saved === undefined
            ? replaced === undefined
              ? `To save ${accepted.length === 1 ? 'it' : 'them'}:`
              : `${printable(replaced)} has other rules. To replace them:`
            : `Saved to ${printable(saved)}. To upload the rows with it:`,
        ];
  return [
    ...when(sentences.length > 0, '', 'Rows that are still invalid:', ...bullets(sentences)),
    ...['', ...(junk.length === counts.listed ? ['Then no row is left to upload.'] : [...outcome, `  ${next}`])],
  ];
}

function nothingRepaired({ isOpen, counts, open }: FixResult): string {
  if (isOpen) return 'No rule was chosen. To choose on a terminal:';
  if (counts.invalid === 0 && counts.refused === 0) return `To upload ${counts.valid === 1 ? 'it' : 'them'}:`;
  const isSkipped = open.some(({ rules }) => rules.length > 0);
  const fact = counts.invalid === 0 ? '' : isSkipped ? 'No rule was accepted. ' : 'No rule makes a row valid. ';
  return `${fact}Correct the rows in the rejects file by hand, then:`;
}

export function fixJson({ run, names, counts, accepted, open, junk, left, saved, next }: FixResult): object {
  const shownCause = ({ cause: { first, ...cause } }: ProposedFix) => ({ ...cause, first: place(names, first) });
  const shown = ({ line, why, repaired, valid, examples }: Rule) => ({
    line,
    why,
    repaired,
    valid,
    examples: examples.map(({ field, before, after, ...at }) => ({ at: place(names, at), field, before, after })),
  });
  return {
    run,
    rows: { ...counts, junk: junk.length },
    rules: accepted.map(({ fix, rule }) => ({ ...shownCause(fix), ...shown(rule) })),
    open: open.map((fix) => ({ ...shownCause(fix), rules: fix.rules.map(shown) })),
    left: left.map(({ code, field, column, rows }) => ({ code, field, column, rows })),
    saved,
    next,
  };
}
