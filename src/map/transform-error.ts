/** What a transform answers instead of a value. A class, so that no value of an input can be taken for one. */
import { excerpt } from '../lib/excerpt.ts';
import type { IssueCode } from '../model/row.ts';

/** Why a transform made no value; compile-mapping.ts adds field and column, and it becomes an issue of the row. */
export class TransformError {
  readonly code: IssueCode;
  readonly found: string;
  readonly expected: string;
  readonly hint: string | undefined;

  constructor(code: IssueCode, value: unknown, expected: string, hint?: string) {
    this.code = code;
    this.found = excerpt(value);
    this.expected = expected;
    this.hint = hint;
  }
}

/** An unreadable date that the mapping wants left out (`invalid: omit`). */
export const OMITTED = Symbol('omitted');

/** No value, because the address is at a host of private mail. Where the field is required, that is a fault. */
export class FreeMail {
  readonly address: string;
  readonly host: string;

  constructor(address: string, host: string) {
    this.address = address;
    this.host = host;
  }
}

/** From a value that is there to another one, or to the reason why there is none. */
export type Convert = (value: unknown) => string | number | TransformError | FreeMail | typeof OMITTED;

/**
 * A value's text. Undefined for what has no certain text: objects, arrays, booleans, and integers beyond 2^53,
 * whose digits were lost when the JSON was read.
 */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value !== 'number') return undefined;
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : String(value);
}

/** That a field is absent, with the note that says why. */
export class Absent {
  readonly notes: readonly [string];

  constructor(note: string) {
    this.notes = [note];
  }
}
