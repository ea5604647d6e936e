/**
 * The kinds of value that a field can have: what the interface allows on the wire, and how a cell or a JSON
 * value of an input becomes that. Nothing is guessed and nothing is clamped: a value is either certain or invalid.
 */
import { z } from 'zod';
import type { NoteCode } from '../model/note.ts';
import type { IssueCode } from '../model/row.ts';

export interface Kind {
  readonly name: 'text' | 'enum' | 'open' | 'date-time' | 'integer' | 'number' | 'untyped';
  /** What the interface allows on the wire. */
  readonly wire: z.ZodType;
  /** From a candidate's value (a cell's text, or a JSON value) to the value that is sent. */
  readonly value: z.ZodType<string | number>;
  /**
   * The same for values of the usual forms, without asking the schema, which takes several times as long. Undefined
   * where the schema must say; what is given back is what the schema would give (test/contract/kinds.test.ts).
   */
  readonly usual: (given: unknown) => string | number | undefined;
  /** Ends the sentence "expected …". */
  readonly expected: string;
  /** The code of an issue where a text or a number does not fit; other JSON values are `type`. */
  readonly fault: IssueCode;
  /** Allowed values of `enum`, known values of `open`. */
  readonly values?: readonly string[];
  /** A CSV cell becomes a number where writing that number gives the cell back exactly. */
  readonly numericCells?: boolean;
  /** Whether something worth telling happened on the way from `before` to `after`. */
  readonly note?: (before: unknown, after: string | number) => NoteCode | undefined;
}

/** Any text. A JSON number is taken as its digits, where those are certain: 2^53 and more has lost some. */
export const text: Kind = {
  name: 'text',
  wire: z.string(),
  value: z.preprocess(digits, z.string().min(1)),
  usual: (given) => someText(digits(given)),
  expected: 'a text',
  fault: 'type',
};

/** Exactly one of a closed list; matched without regard to case, spaces, hyphens and underscores. */
export function oneOf(values: readonly [string, ...string[]]): Kind {
  const known = knownForms(values);
  return {
    name: 'enum',
    wire: z.enum(values),
    value: z.preprocess((given) => recognise(known, given), z.enum(values)),
    usual: (given) => (typeof given === 'string' ? known(given) : undefined),
    expected: `one of ${values.join(', ')}`,
    fault: 'enum',
    values,
  };
}

/** An open list: known values are brought to their known form, others are sent as they are. */
export function open(values: readonly string[]): Kind {
  const known = knownForms(values);
  const list = new Set(values);
  return {
    name: 'open',
    wire: z.string(),
    value: z.preprocess((given) => recognise(known, digits(given)), z.string().min(1)),
    usual: (given) => {
      const word = someText(digits(given));
      return word === undefined ? undefined : (known(word) ?? word);
    },
    expected: values.length === 0 ? 'a text' : `a text such as ${values.join(', ')}`,
    fault: 'type',
    values,
    note: (_before, after) => (list.has(String(after)) ? undefined : 'open_value'),
  };
}

const DATE_ONLY = /^\d{4}-\d{2}-\d{2}$/;
const MIDNIGHT = 'T00:00:00Z';
const OFFSET = /(?:Z|[+-]\d{2}:\d{2})$/;
/** To the second, with or without an offset. The 29th of February, which depends on the year, is not among them. */
const USUAL_DATE_TIME =
  /^\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?$/;

const ISO_8601 = z.union([
  z.iso.datetime({ offset: true, local: true }),
  // To the minute: seconds may be left out.
  z.iso.datetime({ offset: true, local: true, precision: -1 }),
]);

/**
 * ISO 8601 date-time in the extended calendar form, with or without an offset; interface.md names no more than
 * "ISO 8601 date-time". A date alone becomes midnight UTC (cli.md, "Mapping").
 */
export const dateTime: Kind = {
  name: 'date-time',
  wire: ISO_8601,
  value: z.preprocess(
    (given) => (typeof given === 'string' && DATE_ONLY.test(given) ? `${given}${MIDNIGHT}` : given),
    ISO_8601,
  ),
  usual: (given) => {
    if (typeof given !== 'string') return undefined;
    const whole = given.length === 'yyyy-mm-dd'.length ? `${given}${MIDNIGHT}` : given;
    return USUAL_DATE_TIME.test(whole) ? whole : undefined;
  },
  expected: 'an ISO 8601 date-time such as 2026-11-20T09:15:00Z, or a date such as 2026-11-20',
  fault: 'date',
  note: (before, after) => {
    if (before !== after) return 'date_only';
    return OFFSET.test(String(after)) ? undefined : 'no_offset';
  },
};

/** An integer in a range, both ends included. */
export function integer(min: number, max: number): Kind {
  const range = z.int().min(min).max(max);
  return {
    name: 'integer',
    wire: range,
    value: z.preprocess(decimal, range),
    usual: (given) => {
      const value = someNumber(decimal(given));
      const fits = value !== undefined && Number.isInteger(value) && value >= min && value <= max;
      return fits ? value : undefined;
    },
    expected: `an integer from ${min} to ${max}`,
    fault: 'range',
  };
}

export const number: Kind = {
  name: 'number',
  wire: z.number(),
  value: z.preprocess(decimal, z.number().refine(isCertain)),
  usual: (given) => someNumber(decimal(given)),
  expected: 'a number such as 87 or 0.5',
  fault: 'number',
};

/**
 * A field to which interface.md gives no type. A JSON text or number keeps its type; objects and arrays are no
 * value that a file of rows could mean.
 */
export function untyped(options: { numericCells: boolean }): Kind {
  return {
    name: 'untyped',
    wire: z.unknown(),
    value: z.union([z.string().min(1), z.number().refine(isCertain)]),
    usual: (given) => someText(given) ?? someNumber(given),
    expected: 'a text or a number',
    fault: 'type',
    numericCells: options.numericCells,
  };
}

/** "Job Posting", "job-posting" and "JOB_POSTING" are one. */
export function squash(value: string): string {
  return value.toLowerCase().replace(/[\s_-]+/gu, '');
}

/** From a text to the word of a list that it is a form of. */
type KnownForms = (text: string) => string | undefined;

function knownForms(values: readonly string[]): KnownForms {
  const known = new Map(values.map((value) => [squash(value), value]));
  // Words as they stand in the list are met most often, and need no squashing.
  const exact = new Set(known.values());
  return (text) => {
    if (exact.has(text)) return text;
    return known.size === 0 ? undefined : known.get(squash(text));
  };
}

function recognise(known: KnownForms, given: unknown): unknown {
  return typeof given === 'string' ? (known(given) ?? given) : given;
}

function someText(given: unknown): string | undefined {
  return typeof given === 'string' && given !== '' ? given : undefined;
}

function someNumber(given: unknown): number | undefined {
  return typeof given === 'number' && isCertain(given) ? given : undefined;
}

/** Whether a number of a JSON text is the one that stands there: beyond 2^53 digits are lost, and 1e400 is no number. */
function isCertain(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
}

function digits(given: unknown): unknown {
  return typeof given === 'number' && isCertain(given) ? String(given) : given;
}

/** A plain decimal number. Not taken: signs of a currency, groups of thousands, a decimal comma, hexadecimal. */
function decimal(given: unknown): unknown {
  return typeof given === 'string' && /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(given)
    ? Number(given)
    : given;
}
