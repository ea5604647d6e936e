import { createReadStream, linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { HEAD_BYTES, spool } from '../../src/input/open-inputs.ts';
import { loadDigests } from '../../src/lib/digest.ts';
import { problemsFrom } from '../support/problems.ts';
import { workspace } from '../support/program.ts';
import { bytesOf, openAll, openOne } from './opened.ts';

let folder: string;

beforeEach(async () => {
  folder = await workspace();
});

const at = (name: string): string => path.join(folder, name);

function put(name: string, content: string | Buffer): string {
  writeFileSync(at(name), content);
  return at(name);
}

const { digestOf } = await loadDigests();

/** Bytes that do not repeat with any chunk size. */
function sample(length: number): Buffer {
  return Buffer.from(Uint8Array.from({ length }, (_, index) => (index * 31 + (index >> 8) * 7) & 0xff));
}

describe('openInputs', () => {
  it.each([8, 3 * HEAD_BYTES + 123])('gives the beginning of %d bytes as head, and all of them once', async (size) => {
    const bytes = sample(size);
    const input = await openOne(put('a.csv', bytes));
    expect(input).toMatchObject({ name: at('a.csv'), size, headIsWhole: size < HEAD_BYTES });
    expect(input.head.equals(bytes.subarray(0, HEAD_BYTES))).toBe(true);
    expect(() => input.digest()).toThrow('not been read to their end');
    expect((await bytesOf(input)).equals(bytes)).toBe(true);
    expect(input.digest()).toBe(digestOf(bytes));
    await expect(bytesOf(input)).rejects.toThrow('read twice');
  });

  it('lists the supported files of a folder by name, and searches no folder inside it', async () => {
    for (const name of ['b.csv', 'a.TSV', 'c.jsonl', 'd.txt', 'e.ndjson', '.hidden.csv', 'f.xls', '~$f.xlsx'])
      put(name, name);
    mkdirSync(at('g.csv'));
    put('g.csv/inner.csv', 'x');
    const inputs = await openAll([folder]);
    expect(inputs.map((input) => input.name)).toEqual(['a.TSV', 'b.csv', 'c.jsonl', 'd.txt', 'e.ndjson'].map(at));
  });

  it('takes a pattern that the shell has left as it is, sorted, and without hidden files and folders', async () => {
    for (const name of ['b.csv', 'a.csv', 'c.tsv', '.d.csv']) put(name, name);
    mkdirSync(at('e.csv'));
    mkdirSync(at('sub'));
    put('sub/f.csv', 'f');
    const found = async (pattern: string) => (await openAll([pattern])).map((input) => input.name);
    expect(await found(at('*.csv'))).toEqual(['a.csv', 'b.csv'].map(at));
    expect(await found(at('**/[af].csv'))).toEqual(['a.csv', 'sub/f.csv'].map(at));
    const relative = path.relative(process.cwd(), at('*.tsv'));
    expect(await found(relative)).toEqual([path.relative(process.cwd(), at('c.tsv'))]);
  });

  it('tells every fault at once, each with its place and what to do', async () => {
    for (const name of ['empty', 'broken']) mkdirSync(at(name));
    put('broken/a.csv', 'a');
    symlinkSync('nowhere', at('broken/b.csv'));
    put('empty.csv', '');
    put('good.csv', 'a');
    const paths = ['missing.csv', 'good.csv', '*.tsv', 'empty', 'broken', 'empty.csv', 'good.csv/x'].map(at);
    const problems = await problemsFrom(openAll(paths));
    expect(problems.map(({ code, where }) => [code, where])).toEqual([
      ['input.missing', at('missing.csv')],
      ['input.missing', at('*.tsv')],
      ['input.folder', at('empty')],
      ['input.missing', at('broken/b.csv')],
      ['input.missing', at('good.csv/x')],
      ['input.empty', at('empty.csv')],
    ]);
    for (const problem of problems) expect(problem.hint).toMatch(/\.$/);
  });

  it('refuses the same file under two names, and in a folder that is named too', async () => {
    const file = put('a.csv', 'a');
    linkSync(file, at('b.csv'));
    const twice = (...paths: readonly string[]) => problemsFrom(openAll(paths, Readable.from(['x'])));
    const where = expect.stringContaining('a.csv');
    expect(await twice(file, at('b.csv'))).toMatchObject([{ code: 'input.twice', where: at('b.csv') }]);
    expect(await twice(file, `${folder}${path.sep}.${path.sep}a.csv`)).toMatchObject([{ code: 'input.twice', where }]);
    expect(await twice(file, folder)).toHaveLength(2);
    expect(await twice('-', '-')).toMatchObject([{ code: 'input.twice', where: 'stdin' }]);
  });

  it('does not wait for a pipe where another input is at fault', async () => {
    const silent = new Readable({ read: () => undefined });
    expect(await problemsFrom(openAll(['-', at('missing.csv')], silent))).toMatchObject([{ code: 'input.missing' }]);
  });
});

describe('stdin', () => {
  it('has no size, and its bytes come back whole whatever its chunks are', async () => {
    const bytes = sample(HEAD_BYTES + 70_001);
    const pieces = Array.from({ length: Math.ceil(bytes.length / 999) }, (_, n) =>
      bytes.subarray(n * 999, n * 999 + 999),
    );
    const input = await openOne('-', Readable.from(pieces));
    expect(input).toMatchObject({ name: 'stdin', size: undefined, headIsWhole: false });
    expect(input.head.equals(bytes.subarray(0, HEAD_BYTES))).toBe(true);
    expect((await bytesOf(input)).equals(bytes)).toBe(true);
    expect(input.digest()).toBe(digestOf(bytes));
  });

  it('is not read ahead of its reader', async () => {
    let given = 0;
    const endless = new Readable({
      read() {
        given += 1;
        this.push(Buffer.alloc(65_536));
      },
    });
    const input = await openOne('-', endless);
    const before = given;
    const chunks = input.chunks()[Symbol.asyncIterator]();
    await chunks.next();
    await chunks.next();
    await new Promise((resolve) => setImmediate(resolve));
    expect(given).toBeLessThan(before + 6);
  });

  it.each([HEAD_BYTES, 10])('that fails after %d bytes names the byte up to which it was read', async (size) => {
    async function* failing(): AsyncGenerator<Buffer> {
      yield Buffer.alloc(size, '\n');
      yield Buffer.alloc(10);
      throw Object.assign(new Error('gone'), { code: 'EIO' });
    }
    // One that fails before its head is full is told on opening.
    const work = openOne('-', Readable.from(failing())).then(bytesOf);
    expect(await problemsFrom(work)).toMatchObject([
      { code: 'input.failed', where: 'stdin', message: `Reading 'stdin' failed at byte ${size + 10}: EIO.` },
    ]);
  });

  it('of which reading is ended before its writer ends it is not whole', async () => {
    const stdin = new PassThrough();
    stdin.write(sample(2 * HEAD_BYTES));
    const copy = await spool(await openOne('-', stdin), at('copy'));
    const copied = copy.spool?.((write) => write());
    await copy.close();
    expect(await copied).toBeUndefined();
  });

  it('can be closed before it was read, and again', async () => {
    const stdin = createReadStream(put('a.csv', sample(2 * HEAD_BYTES)));
    const input = await openOne('-', stdin);
    await input.close();
    await input.close();
    expect(stdin.destroyed).toBe(true);
  });
});

describe('a first line that is longer than a head', () => {
  it.each([HEAD_BYTES + 1, 600_000, 1_100_000])('makes the head longer, up to its end: %d bytes', async (length) => {
    const bytes = Buffer.concat([Buffer.alloc(length, 'x'), Buffer.from('\n'), sample(3 * HEAD_BYTES)]);
    for (const name of [put('a.csv', bytes), '-']) {
      const input = await openOne(name, Readable.from([bytes.subarray(0, 1000), bytes.subarray(1000)]));
      expect(input.head.includes('\n')).toBe(true);
      expect(input.headIsWhole).toBe(false);
      expect(input.headDigest()).toBe(digestOf(bytes.subarray(0, HEAD_BYTES)));
      expect((await bytesOf(input)).equals(bytes)).toBe(true);
    }
  });

  it('is not read without a limit', async () => {
    const input = await openOne(put('a.csv', Buffer.alloc(8 * 2 ** 20, 'x')));
    expect(input.head.length).toBeLessThan(3 * 2 ** 20);
    expect(input.headIsWhole).toBe(false);
  });
});
