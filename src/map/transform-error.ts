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

/** The e-mail address is at a consumer provider. Only if the field is required, that makes the row invalid. */
export class FreeMail extends TransformError {
  constructor(address: string, host: string) {
    const hint = `${host} is a free e-mail provider: give the company's website, or use a variant that does not require the field.`;
    super('domain', address, 'a company domain, not a free e-mail provider', hint);
  }
}

/** Converts a value that is not absent. */
export type Convert = (value: unknown) => string | number | TransformError;

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
