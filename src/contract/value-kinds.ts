/** How a cell or JSON value becomes what the API allows. An ambiguous or out-of-range value is invalid; nothing is guessed. */
import { z } from 'zod';
import { decimalOf, isExact, scalarText } from '../lib/exact-number.ts';
import type { NoteCode } from '../model/problem.ts';
import type { IssueCode } from '../model/row.ts';

export interface Kind {
  readonly name: 'text' | 'enum' | 'open' | 'date-time' | 'integer' | 'number' | 'untyped';
  readonly wire: z.ZodType;
  /** Converts the text of a cell, or a JSON value, to the value that is sent. Undefined if it is invalid. */
  readonly read: (given: unknown) => string | number | undefined;
  readonly expected: string;
  /** Issue code for an invalid text or number. Other JSON values have the code `type`. */
  readonly issueCode: IssueCode;
  /** Allowed values of `enum`, known values of `open`. */
  readonly values?: readonly string[];
  readonly usual?: readonly string[];
  /** Whether a CSV cell becomes a number if formatting that number gives the same cell. */
  readonly numericCells?: boolean;
  /** For a conversion from `before` to `after`. The same list object for the same notes. */
  readonly notes?: (before: unknown, after: string | number) => readonly NoteCode[];
}

/** Any text. A JSON number becomes its digits, unless parsing has rounded it (from 2^53). */
export const textKind: Kind = {
  name: 'text',
  wire: z.string(),
  read: readText,
  expected: 'a text',
  issueCode: 'type',
};

/**
 * One value of a closed list. Matching ignores case, spaces, hyphens and underscores.
 *
 * @param names well-known names, each of which is one of the values: G2 is a review site
 */
export function oneOf(values: readonly [string, ...string[]], names: Readonly<Record<string, string>> = {}): Kind {
  const known = knownForms(values, names);
  return {
    name: 'enum',
    wire: z.enum(values),
    read: (given) => (typeof given === 'string' ? known(given) : undefined),
    expected: `one of ${values.join(', ')}`,
    issueCode: 'enum',
    values,
  };
}

/** Known values get their canonical form, others are sent unchanged. @param usual known values that the API does not name */
export function open(values: readonly string[], usual: readonly string[] = []): Kind {
  const known = knownForms([...values, ...usual]);
  const list = new Set(values);
  return {
    name: 'open',
    wire: z.string(),
    read: (given) => {
      const word = readText(given);
      return word === undefined ? undefined : (known(word) ?? word);
    },
    expected: values.length === 0 ? 'a text' : `a text such as ${values.join(', ')}`,
    issueCode: 'type',
    values,
    usual,
    notes: (_before, after) => (list.has(String(after)) ? NO_NOTES : OPEN_VALUE),
  };
}

const NO_NOTES: readonly NoteCode[] = [];
const OPEN_VALUE: readonly NoteCode[] = ['open_value'];
const DATE_ONLY_NOTE: readonly NoteCode[] = ['date_only'];
const NO_SECONDS_NOTE: readonly NoteCode[] = ['no_seconds'];
const NO_OFFSET_NOTE: readonly NoteCode[] = ['no_offset'];
const NEITHER_NOTE: readonly NoteCode[] = ['no_seconds', 'no_offset'];

const DATE_ONLY = /^\d{4}-\d{2}-\d{2}$/;
const WITHOUT_SECONDS = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2})(Z|[+-]\d{2}:\d{2})?$/;
const OFFSET = /(?:Z|[+-]\d{2}:\d{2})$/;

const ISO_8601 = z.regexes.datetime({ offset: true, local: true });
const ISO_8601_WIRE = z.union([
  z.iso.datetime({ offset: true, local: true }),
  z.iso.datetime({ offset: true, local: true, precision: -1 }),
]);

/** In the extended calendar form. A date alone becomes midnight UTC, and missing seconds become `:00`. */
export const dateTime: Kind = {
  name: 'date-time',
  wire: ISO_8601_WIRE,
  read: (given) => {
    if (typeof given !== 'string') return undefined;
    // Only a text with seconds has a colon here.
    const whole = given.charAt('yyyy-mm-ddThh:mm'.length) === ':' ? given : completed(given);
    return ISO_8601.test(whole) ? whole : undefined;
  },
  expected: 'an ISO 8601 date-time such as 2026-11-20T09:15:00Z, or a date such as 2026-11-20',
  issueCode: 'date',
  notes: (before, after) => {
    const hasOffset = OFFSET.test(String(after));
    if (before === after) return hasOffset ? NO_NOTES : NO_OFFSET_NOTE;
    if (typeof before === 'string' && DATE_ONLY.test(before)) return DATE_ONLY_NOTE;
    return hasOffset ? NO_SECONDS_NOTE : NEITHER_NOTE;
  },
};

function completed(text: string): string {
  if (DATE_ONLY.test(text)) return `${text}T00:00:00Z`;
  return text.replace(WITHOUT_SECONDS, '$1:00$2');
}

export function integer(min: number, max: number): Kind {
  return {
    name: 'integer',
    wire: z.int().min(min).max(max),
    read: (given) => {
      const value = readNumber(given);
      return value !== undefined && Number.isInteger(value) && value >= min && value <= max ? value : undefined;
    },
    expected: `an integer from ${min} to ${max}`,
    issueCode: 'range',
  };
}

/** A decimal number. Currency signs, digit groups, decimal commas and hexadecimal are not supported. */
export const number: Kind = {
  name: 'number',
  wire: z.number(),
  read: readNumber,
  expected: 'a number such as 87 or 0.5',
  issueCode: 'number',
};

/** Without a type in interface.md. A JSON text or number keeps its type; objects, arrays and booleans are invalid. */
export function untyped(options: { numericCells: boolean }): Kind {
  return {
    name: 'untyped',
    wire: z.unknown(),
    read: (given) => (typeof given === 'number' ? readNumber(given) : readText(given)),
    expected: 'a text or a number',
    issueCode: 'type',
    numericCells: options.numericCells,
  };
}

function readText(given: unknown): string | undefined {
  return scalarText(given) || undefined;
}

function readNumber(given: unknown): number | undefined {
  const value = typeof given === 'string' ? decimalOf(given) : given;
  return typeof value === 'number' && isExact(value) ? value : undefined;
}

/** Maps "Job Posting", "job-posting" and "JOB_POSTING" to the same text. */
export function squash(value: string): string {
  return value.toLowerCase().replace(/[\s_-]+/gu, '');
}

type KnownForms = (text: string) => string | undefined;

function knownForms(values: readonly string[], names: Readonly<Record<string, string>> = {}): KnownForms {
  const known = new Map([...values.map((value) => [squash(value), value] as const), ...Object.entries(names)]);
  // Most texts are values of the list and need no squashing.
  const exact = new Set(values);
  return (text) => {
    if (exact.has(text)) return text;
    return known.size === 0 ? undefined : known.get(squash(text));
  };
}
