/** Converts a row to the JSON of its record in the reference path: mapping, validation, size limit. */
import { isBroken } from '../input/decode.ts';
import type { Transformed } from '../map/index.ts';
import type { BrokenRow, Issue, Row } from '../model/row.ts';
import type { Observer, PreparableInput } from './job.ts';

export type ConvertedRow =
  | { readonly kind: 'record'; readonly json: string; readonly notes: readonly string[] }
  | { readonly kind: 'invalid'; readonly issues: readonly Issue[] }
  /** The function of `--transform` omitted it. */
  | { readonly kind: 'omitted' };

export interface ConvertOptions {
  readonly encode: (record: Readonly<Record<string, string | number>>) => string;
  /** Whether a record fits into a request. */
  readonly fits: (json: string) => boolean;
  /** Maximum bytes of a request body. */
  readonly maxBytes: number;
  readonly observer?: Observer | undefined;
}

/** @param transformed the result of `input.transform` for the row */
export function convertRow(
  input: PreparableInput,
  row: Row | BrokenRow,
  transformed: Transformed | undefined,
  { encode, fits, maxBytes, observer }: ConvertOptions,
): ConvertedRow {
  if (isBroken(row)) return { kind: 'invalid', issues: [row.issue] };
  if (transformed?.kind === 'dropped') return { kind: 'omitted' };
  if (transformed?.kind === 'failed') return { kind: 'invalid', issues: [transformed.issue] };
  const given = transformed?.row ?? row;
  const mapped = input.mapping.apply(given);
  let validated = input.validate(mapped);
  let json = '';
  if ('record' in validated) {
    json = encode(validated.record);
    if (!fits(json)) validated = { issues: [tooLarge(json, maxBytes)] };
  }
  observer?.row({ input, row: given, mapped, validated });
  if ('issues' in validated) return { kind: 'invalid', issues: validated.issues };
  return { kind: 'record', json, notes: validated.notes };
}

/** @param maxBytes of a request body */
export function tooLarge(json: string, maxBytes: number): Issue {
  return {
    code: 'size',
    found: `a record of ${Buffer.byteLength(json)} bytes`,
    expected: `a request body of at most ${maxBytes} bytes (--max-bytes)`,
  };
}
