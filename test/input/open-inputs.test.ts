import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  createReadStream,
  linkSync,
  mkdirSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HEAD_BYTES, type OpenInput, openInputs } from '../../src/input/open-inputs.ts';
import { loadDigests } from '../../src/lib/digest.ts';
import { problemsFrom } from '../support/problems.ts';

let folder: string;
let open: OpenInput[];

beforeEach(async () => {
  const parent = path.join(import.meta.dirname, '..', '.tmp');
  await mkdir(parent, { recursive: true });
  folder = await mkdtemp(path.join(parent, 'source-'));
  open = [];
});

afterEach(async () => {
  await Promise.all(open.map((input) => input.close()));
  await rm(folder, { recursive: true, force: true });
});

const at = (name: string): string => path.join(folder, name);
/** Node has no call for it. */
function makePipe(name: string): void {
  execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', name]);
}

const nothing = (): Readable => Readable.from([]);

function put(name: string, content: string | Buffer): string {
  writeFileSync(at(name), content);
  return at(name);
}

async function openAll(paths: string[], stdin: Readable = nothing()): Promise<OpenInput[]> {
  open = await openInputs(paths, stdin);
  return open;
}

async function openOne(name: string, stdin?: Readable): Promise<OpenInput> {
  const [input] = await openAll([name], stdin);
  if (input === undefined) throw new Error('nothing was opened');
  return input;
}

async function bytesOf(input: OpenInput): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of input.chunks()) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

const { digestOf } = await loadDigests();

/** Bytes that do not repeat with any chunk size. */
function sample(length: number): Buffer {
  return Buffer.from(Uint8Array.from({ length }, (_, index) => (index * 31 + (index >> 8) * 7) & 0xff));
}

describe('openInputs', () => {
  it('gives a small file whole in its head', async () => {
    const input = await openOne(put('a.csv', 'a,b\n1,2\n'));
    expect(input).toMatchObject({ name: at('a.csv'), size: 8, headIsWhole: true });
    expect(input.head.toString()).toBe('a,b\n1,2\n');
    expect((await bytesOf(input)).toString()).toBe('a,b\n1,2\n');
    expect(input.digest()).toBe(digestOf(Buffer.from('a,b\n1,2\n')));
  });

  it('gives the first 256 KiB of a large file as head, and all of it in chunks', async () => {
    const bytes = sample(3 * HEAD_BYTES + 123);
    const input = await openOne(put('a.csv', bytes));
    expect(input).toMatchObject({ size: bytes.length, headIsWhole: false });
    expect(input.head.equals(bytes.subarray(0, HEAD_BYTES))).toBe(true);
    expect((await bytesOf(input)).equals(bytes)).toBe(true);
    expect(input.digest()).toBe(digestOf(bytes));
  });

  it('gives its bytes once, and its digest behind the last one only', async () => {
    const input = await openOne(put('a.csv', 'a'));
    expect(() => input.digest()).toThrow('not been read to their end');
    await bytesOf(input);
    await expect(bytesOf(input)).rejects.toThrow('read twice');
  });

  it('lists the supported files of a folder by name, and searches no folder inside it', async () => {
    for (const name of ['b.csv', 'a.TSV', 'c.jsonl', 'd.txt', 'e.ndjson', '.hidden.csv', 'f.xls', '~$f.xlsx'])
      put(name, name);
    mkdirSync(at('g.csv'));
    writeFileSync(path.join(at('g.csv'), 'inner.csv'), 'x');
    const inputs = await openAll([folder]);
    expect(inputs.map((input) => input.name)).toEqual(['a.TSV', 'b.csv', 'c.jsonl', 'd.txt', 'e.ndjson'].map(at));
  });

  it('names a file of a folder that is a link to nowhere, and not the folder', async () => {
    put('a.csv', 'a');
    symlinkSync('nowhere', at('b.csv'));
    expect(await problemsFrom(openAll([folder]))).toMatchObject([{ code: 'input.missing', where: at('b.csv') }]);
  });

  it('takes a pattern that the shell has left as it is, sorted, and without hidden files and folders', async () => {
    for (const name of ['b.csv', 'a.csv', 'c.tsv', '.d.csv']) put(name, name);
    mkdirSync(at('e.csv'));
    mkdirSync(at('sub'));
    writeFileSync(path.join(at('sub'), 'f.csv'), 'f');
    expect((await openAll([at('*.csv')])).map((input) => input.name)).toEqual(['a.csv', 'b.csv'].map(at));
    await Promise.all(open.map((input) => input.close()));
    expect((await openAll([at('**/[af].csv')])).map((input) => input.name)).toEqual([
      at('a.csv'),
      path.join(at('sub'), 'f.csv'),
    ]);
    const relative = path.relative(process.cwd(), at('*.tsv'));
    await Promise.all(open.map((input) => input.close()));
    expect((await openAll([relative])).map((input) => input.name)).toEqual([path.relative(process.cwd(), at('c.tsv'))]);
  });

  it('tells every fault at once, each with its place and what to do', async () => {
    mkdirSync(at('empty'));
    put('empty.csv', '');
    put('good.csv', 'a');
    const paths = ['missing.csv', 'good.csv', '*.tsv', 'empty', 'empty.csv', 'good.csv/x'].map(at);
    const problems = await problemsFrom(openAll(paths));
    expect(problems.map(({ code, where }) => [code, where])).toEqual([
      ['input.missing', at('missing.csv')],
      ['input.missing', at('*.tsv')],
      ['input.folder', at('empty')],
      ['input.missing', at('good.csv/x')],
      ['input.empty', at('empty.csv')],
    ]);
    for (const problem of problems) expect(problem.hint).toMatch(/\.$/);
  });

  it('refuses the same file under two names, and in a folder that is named too', async () => {
    const file = put('a.csv', 'a');
    linkSync(file, at('b.csv'));
    const other = path.join(folder, '..', path.basename(folder), 'a.csv');
    expect(await problemsFrom(openAll([file, other]))).toMatchObject([{ code: 'input.twice' }]);
    expect(await problemsFrom(openAll([file, `${folder}${path.sep}.${path.sep}a.csv`]))).toMatchObject([
      { code: 'input.twice', where: expect.stringContaining('a.csv') },
    ]);
    expect(await problemsFrom(openAll([file, folder]))).toHaveLength(2);
    expect(await problemsFrom(openAll(['-', '-'], Readable.from(['x'])))).toMatchObject([
      { code: 'input.twice', where: 'stdin' },
    ]);
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
    expect(input.name).toBe('stdin');
    expect(input.size).toBeUndefined();
    expect(input.headIsWhole).toBe(false);
    expect(input.head.equals(bytes.subarray(0, HEAD_BYTES))).toBe(true);
    expect((await bytesOf(input)).equals(bytes)).toBe(true);
    expect(input.digest()).toBe(digestOf(bytes));
  });

  it('that ends before its first byte is a problem', async () => {
    expect(await problemsFrom(openAll(['-'], nothing()))).toMatchObject([{ code: 'input.empty', where: 'stdin' }]);
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

  it('that fails half-way names the byte up to which it was read', async () => {
    async function* failing(): AsyncGenerator<Buffer> {
      yield Buffer.alloc(HEAD_BYTES, '\n');
      yield Buffer.alloc(10);
      throw Object.assign(new Error('gone'), { code: 'EIO' });
    }
    const input = await openOne('-', Readable.from(failing()));
    expect(await problemsFrom(bytesOf(input))).toMatchObject([
      {
        code: 'input.failed',
        where: 'stdin',
        message: `Reading 'stdin' failed at byte ${HEAD_BYTES + 10}: EIO.`,
      },
    ]);
    expect(() => input.digest()).toThrow('not been read to their end');
  });

  it('that fails before its head is full is told on opening', async () => {
    async function* failing(): AsyncGenerator<Buffer> {
      yield Buffer.alloc(10);
      throw new Error('gone');
    }
    expect(await problemsFrom(openAll(['-'], Readable.from(failing())))).toMatchObject([
      { code: 'input.failed', message: expect.stringContaining('byte 10: gone') },
    ]);
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
    for (const path of [put('a.csv', bytes), '-']) {
      const input = await openOne(path, Readable.from([bytes.subarray(0, 1000), bytes.subarray(1000)]));
      expect(input.head.includes('\n')).toBe(true);
      expect(input.headIsWhole).toBe(false);
      expect(input.headDigest()).toBe(digestOf(bytes.subarray(0, HEAD_BYTES)));
      expect((await bytesOf(input)).equals(bytes)).toBe(true);
      await input.close();
    }
  });

  it('is not read without a limit', async () => {
    const input = await openOne(put('a.csv', Buffer.alloc(8 * 2 ** 20, 'x')));
    expect(input.head.length).toBeLessThan(3 * 2 ** 20);
    expect(input.headIsWhole).toBe(false);
  });
});

describe('a file that changes while it is read', () => {
  it.each([10, HEAD_BYTES + 1000])(
    'is read to its size of %d bytes when it was opened, and fails if it grows',
    async (size) => {
      const bytes = sample(size);
      const input = await openOne(put('a.csv', bytes));
      appendFileSync(at('a.csv'), 'more');
      const read: Buffer[] = [];
      const reading = (async () => {
        for await (const chunk of input.chunks()) read.push(Buffer.from(chunk));
      })();
      expect(await problemsFrom(reading)).toMatchObject([
        {
          code: 'input.changed',
          message: expect.stringContaining(`it had ${size} bytes when it was opened, and now has ${size + 4}`),
        },
      ]);
      expect(Buffer.concat(read).equals(bytes)).toBe(true);
    },
  );

  it('fails if it shrinks, with the byte at which it ended', async () => {
    const input = await openOne(put('a.csv', sample(2 * HEAD_BYTES)));
    truncateSync(at('a.csv'), HEAD_BYTES + 100);
    const problems = await problemsFrom(bytesOf(input));
    expect(problems).toMatchObject([{ code: 'input.changed', where: at('a.csv') }]);
    expect(problems[0]?.message).toContain(
      `had ${2 * HEAD_BYTES} bytes when it was opened, and now has ${HEAD_BYTES + 100}`,
    );
  });
});

describe.skipIf(process.platform === 'win32')('a named pipe', () => {
  it('is read from its first byte to its last, without a size', async () => {
    const pipe = at('pipe');
    makePipe(pipe);
    const bytes = sample(HEAD_BYTES + 100_000);
    const written = writeFile(pipe, bytes);
    const input = await openOne(pipe);
    expect(input.name).toBe(pipe);
    expect(input.size).toBeUndefined();
    expect((await bytesOf(input)).equals(bytes)).toBe(true);
    expect(input.digest()).toBe(digestOf(bytes));
    await written;
  });

  it('that its writer closes without a byte is a problem', async () => {
    const pipe = at('pipe');
    makePipe(pipe);
    const written = writeFile(pipe, '');
    expect(await problemsFrom(openAll([pipe]))).toMatchObject([{ code: 'input.empty' }]);
    await written;
  });
});
