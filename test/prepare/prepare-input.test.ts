/** Inputs to prepared items: which rows are used, and that a resume prepares the rest as the run would have done. */
import { describe, expect, test } from 'vitest';
import type { MappingDocument } from '../../src/map/index.ts';
import type { Prepared } from '../../src/model/prepared.ts';
import {
  firstRows,
  type PreparableInput,
  type PrepareJob,
  prepare,
  type ResumePoint,
} from '../../src/prepare/index.ts';
import { addSkipped, RowWindow } from '../../src/prepare/prepare-input.ts';
import { jobOf, prepared, type Scene } from '../support/both.ts';

test('a window selects the rows after --skip, up to --limit', () => {
  const window = new RowWindow({ skip: 2, limit: 3 });
  const taken = [1, 2, 3, 4, 5, 6].map(() => [window.remaining, window.next()]);
  const all = [undefined, undefined, undefined];
  expect(taken.map(([, why]) => why)).toEqual(['skip', 'skip', ...all, 'limit']);
  expect(taken.map(([remaining]) => remaining)).toEqual([0, 0, 3, 2, 1, 0]);
  const resumed = new RowWindow({ skip: 2, limit: 3 });
  resumed.add(4);
  expect([resumed.remaining, resumed.next(), resumed.remaining]).toEqual([1, undefined, 0]);
});

test('consecutive rows that are skipped for the same reason become one item', () => {
  const out: Prepared[] = [];
  const add = (row: number, why: 'skip' | 'limit', by?: string, source = 0): void =>
    addSkipped(out, { source, row, line: row + 1 }, why, by);
  add(1, 'skip');
  add(2, 'skip');
  add(4, 'skip');
  add(5, 'limit');
  add(6, 'limit', 'r');
  add(7, 'limit', 'r', 1);
  const item = (first: number, last: number, why: string, by?: string, source = 0) => {
    const rows = { firstRow: first, lastRow: last, firstLine: first + 1, lastLine: last + 1 };
    return { kind: 'skipped', source, ...rows, why, by };
  };
  expect(out).toEqual([
    item(1, 2, 'skip'),
    item(4, 4, 'skip'),
    item(5, 5, 'limit'),
    item(6, 6, 'limit', 'r'),
    item(7, 7, 'limit', 'r', 1),
  ]);
});

const document: MappingDocument = {
  type: 'social',
  fields: { platform: { column: 'Net' }, engagement_type: { column: 'Type' }, engager_name: { column: 'Who' } },
};
const ROWS = [
  'x,like,A',
  'x,like,B',
  'bad',
  'x,like,A',
  'x,like,"C\nc"',
  ',like,D',
  'x,like,E',
  'x,like,F',
  'x,like,G',
  'x,,H',
];
const SCENE: Scene = {
  bytes: Buffer.from(`Net,Type,Who\n${ROWS.join('\n')}\n\n`.replaceAll('x,', 'linkedin,')),
  document,
  batchSize: 2,
  skip: 1,
  limit: 8,
};

function jobWith(engine: 'auto' | 'reference', more: Partial<Scene> = {}): PrepareJob {
  const job = jobOf({ ...SCENE, ...more }, engine);
  if (job === undefined) throw new Error('the input can be read');
  return job;
}

async function itemsOf(job: PrepareJob): Promise<readonly Prepared[]> {
  const items: Prepared[] = [];
  for await (const some of prepare(job)) items.push(...some);
  return items;
}

const facts = (given: readonly Prepared[]) =>
  given.map((item) =>
    'batch' in item ? { id: item.batch.id, text: Buffer.from(item.batch.payload).toString() } : item,
  );

describe.each(['auto', 'reference'] as const)('the engine %s', (engine) => {
  test('prepares every row once', async () => {
    const items = await prepared(jobWith(engine, { dedupe: true }));
    const position = (row: number, line = row + 1) => expect.objectContaining({ row, line });
    const commit = (invalid: number, skipped: number, duplicate = 0) => ({ dropped: { invalid, skipped, duplicate } });
    const end = { ...commit(0, 1), cursors: [{ rows: 10, byte: SCENE.bytes.length }] };
    const batch = (id: string, names: readonly string[], ...dropped: Parameters<typeof commit>) => ({
      kind: 'batch',
      commit: commit(...dropped),
      batch: {
        id,
        payload: expect.stringMatching(new RegExp(names.map((name) => `"engager_name":"${name}"`).join('.*'))),
      },
    });
    expect(items).toMatchObject([
      { kind: 'skipped', why: 'skip', firstRow: 1, lastRow: 1 },
      { kind: 'invalid', position: position(3), content: ['bad'], issues: [{ code: 'columns' }] },
      batch('1', ['B', 'A'], 1, 1),
      {
        kind: 'invalid',
        position: position(6, 8),
        issues: [{ code: 'missing', field: 'platform' }],
        content: ['', 'like', 'D'],
      },
      batch('2', ['C\\\\nc', 'E'], 1, 0),
      batch('3', ['F', 'G'], 0, 0),
      { kind: 'skipped', why: 'limit', firstRow: 10, lastRow: 10 },
      { kind: 'end', source: 0, rows: 10, digest: 'digest', bytes: SCENE.bytes.length, commit: end },
    ]);
    const twice = await prepared(jobWith(engine, { dedupe: true, skip: 0 }));
    expect(twice).toContainEqual({ kind: 'duplicate', position: position(4), of: { source: 0, line: 2 } });
    expect(twice.filter((item) => 'batch' in item)[1]).toMatchObject({ commit: commit(2, 0, 1) });
    const small = await prepared(jobWith(engine, { maxBytes: 60 }));
    expect(small[1]).toMatchObject({ position: position(2), issues: [{ code: 'size' }] });
    expect(small.at(-1)).toMatchObject({ kind: 'end', commit: commit(8, 2) });
  });

  test('prepares what a transform leaves, also after a resume', async () => {
    const transformed = (from?: ResumePoint) => {
      const job = jobWith(engine, from && { from });
      const transform: PreparableInput['transform'] = async (rows) =>
        rows.map((row) => ([4, 8].includes(row.position.row) ? undefined : row));
      return itemsOf({ ...job, inputs: job.inputs.map((input) => ({ ...input, transform })) });
    };
    const items = await transformed();
    const first = items[3]?.kind === 'batch' ? items[3] : expect.fail();
    expect(items[2]).toMatchObject({ kind: 'skipped', firstRow: 4, lastRow: 4, why: 'transform' });
    expect(items).toContainEqual(expect.objectContaining({ firstRow: 8, lastRow: 8, why: 'transform' }));
    const { commit, batch } = first;
    expect(commit.dropped).toMatchObject({ invalid: 1, skipped: 2 });
    const cursors = new Map([[0, commit.cursors[0] ?? expect.fail()]]);
    const resumed = await transformed({ cursors, ended: new Set(), sealed: 1, toRebuild: [batch] });
    expect(resumed[0]).toMatchObject({ kind: 'rebuilt', matches: true, batch: { id: '1' } });
    expect(facts(resumed.slice(1))).toEqual(facts(items.slice(4)));
  });

  test('continues a batch in the next input, and only there', async () => {
    const job = jobWith(engine, { bytes: SCENE.bytes.subarray(0, 29), skip: 0 });
    const inputs = [...job.inputs, ...jobWith(engine).inputs.slice(0, 1), ...job.inputs];
    const items = await itemsOf({ ...job, inputs: inputs.map((input) => ({ ...input, ...job.inputs[0] })) });
    expect(items.map(({ kind }) => kind)).toEqual(['end', 'batch', 'end', 'batch', 'end']);
    expect(items[1]).toMatchObject({ batch: { ranges: [{ source: 0 }, { source: 1 }] } });
  });

  test('prepares the rest after a resume as it would have been, and the sealed batches again', async () => {
    const all = await itemsOf(jobWith(engine));
    const batches = all.flatMap((item) => (item.kind === 'batch' ? [item] : []));
    for (const [n, { commit }] of batches.entries()) {
      const [toRebuild, cursors] = [
        batches.slice(0, n + 1),
        new Map(commit.cursors.map((cursor) => [cursor.source, cursor])),
      ];
      for (const last of [0, 1]) {
        const rebuilt = toRebuild.slice(last);
        const from: ResumePoint = {
          cursors,
          ended: new Set(),
          sealed: n + 1,
          toRebuild: rebuilt.map(({ batch }) => batch),
        };
        const items = await itemsOf(jobWith(engine, { from }));
        const again = items.flatMap((item) => (item.kind === 'rebuilt' ? [item] : []));
        expect(again.every(({ matches }) => matches)).toBe(true);
        expect(facts(again)).toEqual(facts(rebuilt));
        const rest = items.filter(({ kind }) => kind !== 'rebuilt' && kind !== 'skipped');
        const after = all.slice(all.indexOf(toRebuild.at(-1) as Prepared) + 1);
        expect(facts(rest)).toEqual(facts(after.filter(({ kind }) => kind !== 'skipped')));
      }
    }
  });

  test('reads nothing of an input that has ended, and ends one that was cut off', async () => {
    const cursors = new Map([[0, { source: 0, rows: 10, line: 12, byte: SCENE.bytes.length }]]);
    const from = { cursors, ended: new Set([0]), sealed: 3, toRebuild: [] };
    const job = jobWith(engine, { from });
    const unread = { ...job.inputs[0]?.source, chunks: expect.fail };
    expect(await itemsOf({ ...job, inputs: [Object.assign({}, job.inputs[0], { source: unread })] })).toEqual([]);
    const toRebuild = (await itemsOf(jobWith(engine))).flatMap((item) => (item.kind === 'batch' ? [item.batch] : []));
    const changed = Buffer.from(SCENE.bytes.toString().replace('linkedin,like,B', '        ,like,B'));
    const again = await itemsOf(jobWith(engine, { from: { ...from, toRebuild }, bytes: changed }));
    expect(again).toMatchObject([{ matches: false }, { matches: true }, { kind: 'rebuilt', matches: true }]);

    const bytes = SCENE.bytes.subarray(0, 44);
    const batch = { kind: 'batch', batch: { records: 1 } };
    const cut = await prepared(jobWith(engine, { incomplete: true, bytes, skip: 0 }));
    expect(cut).toMatchObject([
      batch,
      { code: 'input.broken', message: expect.stringContaining('off after row 1, b') },
    ]);
    const sealed = await prepared(jobWith(engine, { incomplete: true, bytes, skip: 0, batchSize: 1 }));
    expect(sealed).toMatchObject([batch, { code: 'input.broken' }]);
    expect(await prepared(jobWith(engine, { bytes }))).toMatchObject([{}, batch, { kind: 'end', rows: 2 }]);
  });
});

test('the first rows are those that are used, without broken ones, and at most 1,000', async () => {
  const rowsOf = async (job: PrepareJob) => {
    const rows: number[] = [];
    for await (const { row } of firstRows(job)) rows.push(row.position.row);
    return rows;
  };
  const job = jobWith('auto');
  expect(await rowsOf(job)).toEqual([2, 4, 5, 6, 7, 8, 9]);
  const transform: PreparableInput['transform'] = async (rows) => rows.map((row, n) => (n === 2 ? row : undefined));
  expect(await rowsOf({ ...job, inputs: job.inputs.map((input) => ({ ...input, transform })) })).toEqual([4]);
  const bytes = Buffer.from(`Net,Type,Who\n${'linkedin,like,A\n'.repeat(5000)}`);
  const many = await rowsOf(jobWith('auto', { bytes, skip: 2, limit: 5000 }));
  expect([many.length, many.at(-1)]).toEqual([1000, 1002]);
});
