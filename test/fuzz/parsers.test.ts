/**
 * Fuzzing of parsers, by changed fixtures and past failures. Coverage does not guide it: the fuzzer on npm that it would need, jazzer.js 4,
 * loads only with glibc 2.38. `npm run fuzz:parsers` tries 10,000,000 cases; SIGNALS_FUZZ_TARGETS=rows,headers names targets,
 * SIGNALS_FUZZ_FROM the first number. A failing case is reduced, and kept in fixtures/fuzz/TARGET/, from where each run repeats it.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { globSync } from 'tinyglobby';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generator } from '../../src/sandbox/fault.ts';
import { mutate } from './mutate.ts';
import { scratch, type Target, targets } from './parsers.ts';

const CASES = Number(process.env['SIGNALS_FUZZ_CASES'] ?? 4000);
const FROM = Number(process.env['SIGNALS_FUZZ_FROM'] ?? 0);
const MAX_FAILURES = 5;
const CHUNK = 100_000;
/** Bytes of a text to start from. */
const START_BYTES = 400;

const fixtures = path.join(import.meta.dirname, '../../fixtures');
const named = process.env['SIGNALS_FUZZ_TARGETS']?.split(',') ?? Object.keys(targets);
const shares = named.reduce((sum, name) => sum + 1 / (targets[name]?.cost ?? 1), 0);

beforeAll(() => mkdirSync(scratch, { recursive: true }));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** What is wrong with a case. Undefined if nothing is. @param number chooses the options */
async function problemOf({ check }: Target, bytes: Buffer, number: number): Promise<Error | undefined> {
  try {
    await check(bytes, generator(number));
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
  return undefined;
}

/** The first line of its message, without what is particular to the input. */
const kindOf = (problem: Error | undefined) => problem?.message.split('\n', 1)[0]?.replace(/[^A-Za-z ]/g, '');

/** The shortest input found with the same problem, by leaving out parts. */
async function reduced(target: Target, failing: Buffer, number: number): Promise<Buffer> {
  const kind = kindOf(await problemOf(target, failing, number));
  let bytes = failing;
  for (let size = bytes.length >> 1; size > 0; size >>= 1) {
    for (let at = 0; at < bytes.length; ) {
      const less = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + size)]);
      if (kindOf(await problemOf(target, less, number)) === kind) bytes = less;
      else at += size;
    }
  }
  return bytes;
}

const buffersOf = (texts: readonly string[] = []): Buffer[] => texts.map((text) => Buffer.from(text));

describe.each(named)('%s', (name) => {
  const target = targets[name] ?? expect.unreachable(`no target ${name}`);
  const folder = path.join(fixtures, 'fuzz', name);
  const kept = existsSync(folder) ? readdirSync(folder) : [];

  it.each(kept)('kept case %s', async (file) => {
    expect(await problemOf(target, readFileSync(path.join(folder, file)), Number.parseInt(file, 10))).toBeUndefined();
  });

  const cases = Math.ceil(CASES / (target.cost ?? 1) / shares);
  it(`${cases} cases`, { timeout: Math.max(90_000, 100 * CASES) }, async () => {
    const file = path.join(fixtures, 'fuzz', `${name}.json`);
    const data = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
    const words = buffersOf(data.words);
    const files = globSync([...(target.files ?? []), `fuzz/${name}/*`], { cwd: fixtures, absolute: true }).toSorted();
    const cut = target.mutate === undefined ? START_BYTES : undefined;
    const starts = [...buffersOf(data.texts), ...files.map((file) => readFileSync(file).subarray(0, cut))];
    const failures = new Map<string | undefined, string>();
    const before = process.cpuUsage();
    let number = FROM;
    for (; number < FROM + cases && failures.size < MAX_FAILURES; number += 1) {
      const bytes = (target.mutate ?? mutate)(generator(number), starts, words);
      const kind = kindOf(await problemOf(target, bytes, number));
      if (number % CHUNK === CHUNK - 1) process.stdout.write(`${name}: case ${number}\n`);
      if (kind === undefined || failures.has(kind)) continue;
      const least = await reduced(target, bytes, number);
      const caseFile = path.join(folder, `${number}-${crc32(least).toString(16)}`);
      mkdirSync(folder, { recursive: true });
      writeFileSync(caseFile, least);
      failures.set(kind, `case ${number}, kept as ${caseFile}: ${(await problemOf(target, least, number))?.stack}`);
    }
    const seconds = Math.round(process.cpuUsage(before).user / 1e6);
    if (CASES > 10_000) process.stdout.write(`${name}: cases ${FROM} to ${number - 1}, ${seconds} s of CPU\n`);
    expect([...failures.values()].join('\n\n')).toBe('');
  });
});
