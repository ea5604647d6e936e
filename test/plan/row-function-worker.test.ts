import { describe, expect, it } from 'vitest';
import { RowFunctionWorker } from '../../src/plan/row-function-worker.ts';

/** A worker with a module of this text, and the lines that the module prints. */
async function workerOf(text: string): Promise<{ worker: RowFunctionWorker; lines: string[] }> {
  const lines: string[] = [];
  const worker = new RowFunctionWorker(`data:text/javascript,${encodeURIComponent(text)}`, (line) => lines.push(line));
  await worker.load();
  return { worker, lines };
}

async function answersOf(text: string, rows = [{ a: 1 }, { a: 2 }]): Promise<unknown> {
  return (await workerOf(text)).worker.call(rows);
}

describe('a transform in a worker', () => {
  it('answers each row in order, with a copy', async () => {
    expect(await answersOf('export default ({ a }) => (a === 1 ? null : { b: a, at: new Date(0), not: NaN })')).toEqual(
      [
        { kind: 'value', value: null },
        { kind: 'value', value: { b: 2, at: new Date(0), not: Number.NaN } },
      ],
    );
  });

  it.each([
    ['throws an error', 'throw new TypeError("no")', 'TypeError: no'],
    ['throws a text', 'throw "no"', 'no'],
    ['throws nothing', 'throw undefined', 'undefined'],
    ['throws what has no text', 'throw Object.create(null)', 'an error without a message'],
    ['has a getter that throws', 'return { get a() { throw new Error("not now"); } }', 'Error: not now'],
    ['returns a function', 'return { a: () => 1 }', 'DataCloneError: () => 1 could not be cloned.'],
  ])('fails only for its row if it %s', async (_what, statement, message) => {
    const found = await answersOf(`export default (row) => { if (row.a === 1) { ${statement} } return row; }`);
    expect(found).toEqual([
      { kind: 'threw', message },
      { kind: 'value', value: { a: 2 } },
    ]);
  });

  it.each([
    ['refers to itself', 'const row = {}; row.self = row; row.again = row; return row;'],
    ['has too many levels', 'let row = {}; for (let i = 0; i < 99; i += 1) row = { row }; return row;'],
    ['doubles with each level', 'let row = {}; for (let i = 0; i < 30; i += 1) row = { a: row, b: row }; return row;'],
  ])('refuses a result that %s', async (_what, body) => {
    expect(await answersOf(`export default () => { ${body} }`, [{ a: 1 }])).toEqual([{ kind: 'endless' }]);
  });

  it('gives up a row that ends the thread, and starts again', async () => {
    const text = 'export default ({ a }) => (a % 2 === 0 ? process.exit(0) : { a });';
    const rows = [1, 2, 3, 4, 5].map((a) => ({ a }));
    expect(await answersOf(text, rows)).toEqual([
      { kind: 'value', value: { a: 1 } },
      { kind: 'ended' },
      { kind: 'value', value: { a: 3 } },
      { kind: 'ended' },
      { kind: 'value', value: { a: 5 } },
    ]);
  });
});

it('describes a module that ends its thread as it is loaded', async () => {
  const worker = new RowFunctionWorker('data:text/javascript,process.exit(0);', () => undefined);
  expect(await worker.load()).toEqual({ error: 'it ended its thread (process.exit)' });
});
