import { describe, expect, it } from 'vitest';
import { readSharedStrings } from '../../src/input/shared-strings.ts';

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
  });

  it('are refused if one is far longer than Excel allows', async () => {
    await expect(readSharedStrings(chunksOf(`<sst><si><t>${'x'.repeat(2 ** 20 + 1)}</t></si></sst>`))).rejects.toThrow(
      'a cell has more than 1048576 characters',
    );
  });
});
