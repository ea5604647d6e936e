/** `engine` on the built program: what is sent and what is left behind is the same with the fast path and without it. */
import { expect, test } from 'vitest';
import { at, plainRow, readRun, run, service, summaryOf, workspace, writeCsv } from '../support/program.ts';

/** Lines of the journal that say what was prepared, without what differs from run to run: their time, and the checksum of it. */
function sealed(journal: string): readonly string[] {
  return journal
    .split('\n')
    .filter((line) => /"event":"(?:batch\.sealed|row\.invalid|source\.ended)"/.test(line))
    .map((line) => line.replace(/,"time":"[^"]*"/, '').replace(/,"crc":.*$/, ''));
}

test('each engine sends, journals and rejects the same, a refused record with its row as it was', async () => {
  const row = (n: number): string => {
    if (n % 97 === 0) return plainRow(n).replace(/^[^,]*/, '');
    if (n % 101 === 0) return plainRow(n).replace(/^[^,]*/, `"poison ""${n}"", Inc."`);
    return n % 2 === 0 ? plainRow(n) : plainRow(n).replace(/^[^,]*/, `"Müller, ""No. ${n}"""`);
  };
  const results = [];
  for (const engine of ['auto', 'reference']) {
    const cwd = await workspace();
    const there = await service({
      injectFault: ({ elements }) => (JSON.stringify(elements).includes('poison') ? { status: 422 } : undefined),
    });
    await writeCsv(cwd, 'in.csv', 750, row);
    const args = ['upload', 'in.csv', '--setting', `engine=${engine}`, '--concurrency', '1', '--json'];
    const ended = await run(cwd, args, { env: at(there) });
    expect(ended.code).toBe(3);
    results.push({
      rows: summaryOf(ended).rows,
      // Parts of two batches that were refused take turns as their answers come.
      bodies: there
        .requests()
        .map(({ digest }) => digest)
        .toSorted(),
      sealed: sealed(await readRun(cwd, 'journal.ndjson')),
      rejects: (await readRun(cwd, 'rejects/in.csv')).split('\r\n').toSorted(),
    });
  }
  const [auto, reference] = results;
  expect(auto?.rows).toMatchObject({ read: 750, invalid: 7, refused: 7, delivered: 736 });
  expect(auto?.sealed.length).toBeGreaterThan(8);
  expect(auto?.rejects.join('\n')).toContain('"poison ""101"", Inc."');
  expect(auto).toEqual(reference);
}, 60_000);
