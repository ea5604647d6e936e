/**
 * Declares options and parses their values. A table maps the camel-cased long name of each option to its declaration,
 * which carries its help text and its parser; `parseOptions` turns what was typed into one typed object.
 */
import { appendFileSync } from 'node:fs';
import { messageOf } from '../lib/text.ts';
import { ProblemError } from '../model/problem.ts';
import type { Parser } from './parse-values.ts';
import { parseOption } from './setting-table.ts';

/** A value as typed. A repeatable option is an array; `--no-x` is `false`. */
export type RawValue = string | boolean | readonly string[] | undefined;

/** Values as typed, by the camel-cased long name of the option. */
export type RawOptions = Readonly<Record<string, RawValue>>;

export interface Option<T = unknown> {
  /** In commander's notation: `-m, --map <file>`, `--no-header`. */
  readonly flags: string;
  readonly about: string;
  /** Heading under which help lists the option. */
  readonly group?: string;
  /** May be given several times. */
  readonly repeat?: true;
  /** Allowed values. */
  readonly choices?: readonly string[];
  /** @throws ProblemError if the value is not valid */
  readonly parse: (given: RawValue) => T;
}

export type OptionTable = Readonly<Record<string, Option>>;

export type OptionValues<T extends OptionTable> = {
  readonly [K in keyof T]: T[K] extends Option<infer V> ? V : never;
};

/** @throws ProblemError for the first value that is not valid */
export function parseOptions<T extends OptionTable>(table: T, given: RawOptions): OptionValues<T> {
  const values = Object.entries(table).map(([name, option]) => [name, option.parse(given[name])]);
  return Object.fromEntries(values) as OptionValues<T>;
}

/** The same options, listed under a heading in help. */
export function under<T extends OptionTable>(group: string, table: T): T {
  return Object.fromEntries(Object.entries(table).map(([name, option]) => [name, { ...option, group }])) as T;
}

/** An option without a value. */
export function flag(flags: string, about: string): Option<boolean> {
  return { flags, about, parse: (given) => given === true };
}

/** `--no-x`: the value is true unless it is given. */
export function negatedFlag(flags: string, about: string): Option<boolean> {
  return { flags, about, parse: (given) => given !== false };
}

export function text(flags: string, about: string): Option<string | undefined> {
  return { flags, about, parse: textOf };
}

export function repeated(flags: string, about: string): Option<readonly string[]> {
  return { flags, about, repeat: true, parse: (given) => (Array.isArray(given) ? given : []) };
}

/** One of a closed list. The command line refuses other values. */
export function choice<const T extends string>(
  flags: string,
  about: string,
  choices: readonly T[],
): Option<T | undefined> {
  return { flags, about, choices, parse: (given) => choices.find((each) => each === given) };
}

/** A file to which lines can be added. It is created if it does not exist. */
export function appendable(flags: string, about: string): Option<string | undefined> {
  const parse = (given: RawValue): string | undefined => {
    const file = textOf(given);
    try {
      if (file !== undefined) appendFileSync(file, '', { mode: 0o600 });
    } catch (error) {
      throw usageError(`Cannot write ${file}: ${messageOf(error)}.`, 'Name a file that you may write to.');
    }
    return file;
  };
  return { flags, about, parse };
}

/** A value with a parser of settings, such as a number or a size. */
export function parsed<T>(flags: string, about: string, parser: Parser<T>): Option<T | undefined> {
  const name = /--[a-z-]+/.exec(flags)?.[0] ?? flags;
  const parse = (given: RawValue): T | undefined => {
    const typed = textOf(given);
    return typed === undefined ? undefined : parseOption(name, typed, parser);
  };
  return { flags, about, parse };
}

/** The words of a command line that give an option, by its name. */
export type TypedOptions = ReadonlyMap<string, readonly string[]>;

export function typedOptions(table: OptionTable, given: RawOptions): TypedOptions {
  const wordsOf = (name: string, { flags }: Option): readonly string[] => {
    const value = given[name];
    if (typeof value !== 'boolean') return [value ?? []].flat().flatMap((each) => [flagOf(name), each]);
    const isNegated = flags.startsWith('--no-');
    return value === isNegated ? [] : [isNegated ? flags : flagOf(name)];
  };
  return new Map(Object.entries(table).map(([name, option]) => [name, wordsOf(name, option)]));
}

/** `--max-bytes` for `maxBytes`. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The number of `5%`, if it is one up to 100. */
export function parsePercent(text: string): number | undefined {
  const percent = Number(/^(\d+(?:\.\d+)?)%$/.exec(text.trim())?.[1]);
  return percent <= 100 ? percent : undefined;
}

export function usageError(message: string, hint?: string): ProblemError {
  return new ProblemError({ code: 'usage', message, hint });
}

function textOf(given: RawValue): string | undefined {
  return typeof given === 'string' ? given : undefined;
}
