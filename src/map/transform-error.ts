/** What transforms return instead of a value: classes and symbols, which no input value can equal. */
import { excerpt } from '../lib/excerpt.ts';
import type { IssueCode } from '../model/issue-code.ts';

/** Why a transform has no value. compile-mapping.ts makes it an issue of the row. */
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

/** No value, because the e-mail address is at a consumer provider. If the field is required, the row is invalid. */
export class FreeMail {
  readonly address: string;
  readonly host: string;

  constructor(address: string, host: string) {
    this.address = address;
    this.host = host;
  }
}

/** Converts a value that is not absent. */
export type Convert = (value: unknown) => string | number | TransformError | FreeMail;

/** The text of a string or number. Undefined for other values, and for integers above 2^53, which JSON parsing has rounded. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value !== 'number') return undefined;
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : String(value);
}

/** An absent field, with the note that says why. */
export class Absent {
  readonly notes: readonly [string];

  constructor(note: string) {
    this.notes = [note];
  }
}
