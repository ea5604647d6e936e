import { describe, expect, it } from 'vitest';
import { readSharedStrings, SharedStrings } from '../../src/input/shared-strings.ts';

async function* chunksOf(text: string): AsyncGenerator<Buffer> {
  for (let at = 0; at < text.length; at += 10_000) yield Buffer.from(text.slice(at, at + 10_000));
}

describe('shared strings', () => {
  it('join runs of rich text, leave phonetic guides out, and keep empty strings in their places', async () => {
    const xml =
      '<sst><si><t>one</t></si><si><t/></si><si><r><t>two </t></r><r><rPr><b/></rPr><t>runs</t></r></si>' +
      '<si><t>東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh></si></sst>';
    const strings = await readSharedStrings(chunksOf(xml));
    expect([0, 1, 2, 3].map((index) => strings.get(index))).toEqual(['one', '', 'two runs', '東京']);
    expect([4, -1, 0.5, Number.NaN].map((index) => strings.get(index))).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    await strings.close();
  });

  it('are read from a file in any order if they do not fit into memory', async () => {
    const strings = new SharedStrings();
    // Of many lengths, so that some span two pages, and more than two pages.
    const textOf = (index: number): string => `${index} ${'é'.repeat(index % 997 === 0 ? 80_000 : index % 60)}`;
    const count = 150_000;
    for (let index = 0; index < count; index += 1) {
      strings.add(textOf(index));
      if (index % 1000 === 0) await strings.flush();
    }
    for (let step = 0; step < 20_000; step += 1) {
      const index = (step * 7919) % count;
      if (strings.get(index) !== textOf(index)) throw new Error(`string ${index} is wrong`);
    }
    expect(strings.get(count - 1)).toBe(textOf(count - 1));
    await strings.close();
    expect(() => Array.from({ length: 1000 }, (_, index) => strings.get(index * 140))).toThrow('closed');
  });

  it('are refused if one is far longer than Excel allows', async () => {
    await expect(readSharedStrings(chunksOf(`<sst><si><t>${'x'.repeat(2 ** 20 + 1)}</t></si></sst>`))).rejects.toThrow(
      'a cell has more than 1048576 characters',
    );
  });
});
