/**
 * Functions without side effects, by examples: a line of fixtures/examples/*.ndjson is a call, what it is given, and what it
 * gives or throws. Properties of the same functions are in the tests of their folders.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { describeShard, divideSettings, parseShard, shardRunId } from '../src/app/shard.ts';
import { contracts } from '../src/contract/index.ts';
import { dateTime, integer, number, oneOf, open, textKind, untyped } from '../src/contract/value-kinds.ts';
import { proposeFieldFixes } from '../src/fix/candidates.ts';
import { junkOf } from '../src/fix/rejected-rows.ts';
import { findHeaderRow, nameColumns } from '../src/input/header-row.ts';
import { dateText, kindOfFormat, numberText } from '../src/input/sheet-rows.ts';
import { unescapeText } from '../src/input/xml.ts';
import { loadDigests } from '../src/lib/digest.ts';
import { nearest } from '../src/lib/nearest.ts';
import { cutToWidth, printable } from '../src/lib/printable.ts';
import { shellCommand, shellOn, shellQuote, shellReading, shellWith } from '../src/lib/shell.ts';
import { cut, excerpt, wordMatcher } from '../src/lib/text.ts';
import { humanBytes, humanDuration, plural } from '../src/lib/units.ts';
import { installCommand } from '../src/lib/version.ts';
import { describeField, type FieldMapping, templateProblem, tryField } from '../src/map/index.ts';
import { localesOf } from '../src/map/local-time.ts';
import { withOptionalParts } from '../src/map/template.ts';
import { noteKey, parseNoteKey } from '../src/model/problem.ts';

const { digestOf } = await loadDigests();

const kinds = {
  text: textKind,
  enum: oneOf(['job_posting', 'news', 'review_site'], { g2: 'review_site' }),
  open: open(['like', 'repost'], ['facebook']),
  'date-time': dateTime,
  integer: integer(0, 100),
  number,
  untyped: untyped({ numericCells: true }),
};

const sources = contracts.signals.field('signal_source')?.kind.values ?? [];

function fieldOf(name: string) {
  const field = contracts.signals.field(name) ?? contracts.social.field(name);
  if (field === undefined) throw new TypeError(`no field ${name}`);
  return field;
}

const calls: Readonly<Record<string, (...given: never[]) => unknown>> = {
  cut,
  cutToWidth,
  dateText,
  describeField,
  describeShard,
  divideSettings: (
    settings: Parameters<typeof divideSettings>[0],
    shard: Parameters<typeof divideSettings>[1] | null,
  ) => divideSettings(settings, shard ?? undefined),
  excerpt,
  findHeaderRow,
  'has word': (wanted: string, text: string) => wordMatcher(wanted)(text),
  humanBytes,
  humanDuration,
  installCommand: (module: string) =>
    installCommand(module, ['hyparquet', 'hyparquet-compressors'], (file) => file === '/home/a/app/package.json'),
  junkOf,
  kindOfFormat,
  localesOf,
  nameColumns,
  nearest,
  'nearest source': (word: string) => nearest(word, sources),
  notes: (kind: keyof typeof kinds, given: string, sent: string) => kinds[kind].notes?.(given, sent),
  noteKey,
  numberText,
  parseNoteKey,
  parseShard: (given: string | null, env: NodeJS.ProcessEnv) => parseShard(given ?? undefined, env),
  plural,
  printable,
  proposeFieldFixes: (name: string, values: readonly unknown[], mapping: FieldMapping) =>
    proposeFieldFixes({ field: fieldOf(name), mapping, values }).map((fix) => fix.mapping),
  send: (kind: keyof typeof kinds, given: unknown) => kinds[kind].read(given),
  shardRunId: (name: string, shard: Parameters<typeof shardRunId>[1] | null) => shardRunId(name, shard ?? undefined),
  shellCommand,
  shellQuote,
  shellReading,
  shellWith,
  templateProblem,
  tryField: (name: string, mapping: FieldMapping, rows: Parameters<typeof tryField>[2]) =>
    tryField(mapping, fieldOf(name), rows),
  unescapeText,
  withOptionalParts: (source: string, empty: readonly string[]) =>
    withOptionalParts(source, (column) => empty.includes(column)),
  xxh64: (text: string) => digestOf(Buffer.from(text)),
};

interface Example {
  readonly call: string;
  readonly given: readonly unknown[];
  /** Absent if it gives nothing. */
  readonly gives?: unknown;
  /** Words of the error. */
  readonly throws?: string;
}

const folder = path.join(import.meta.dirname, '../fixtures/examples');

describe.each(readdirSync(folder))('%s', (file) => {
  const lines = readFileSync(path.join(folder, file), 'utf8').trimEnd().split('\n');

  test.each(lines.map((line): Example => JSON.parse(line)))('$call of $given', ({ call, given, gives, throws }) => {
    const work = (): unknown =>
      Reflect.apply(calls[call] ?? expect.unreachable(`no function ${call}`), undefined, given);
    if (throws === undefined) expect(work()).toEqual(gives);
    else expect(work).toThrow(throws);
  });
});

test('the shell of a platform', () => {
  expect(['linux', 'darwin', 'win32'].map(shellOn)).toEqual(['posix', 'posix', 'windows']);
});
