import { describe, expect, it } from 'vitest';
import { wrapText } from '../../src/report/text-layout.ts';

describe('wrapText', () => {
  it('wraps a paragraph between words, whatever its own line breaks', () => {
    expect(wrapText('one two\nthree four five six seven eight', 32)).toEqual([
      'one two three four five six',
      'seven eight',
    ]);
  });

  it('continues an indented line below its last column', () => {
    const text = 'Kinds:\n  first   words that do not fit into this narrow line\n\nThe end.';
    expect(wrapText(text, 40)).toEqual([
      'Kinds:',
      '  first   words that do not fit into',
      '          this narrow line',
      '',
      'The end.',
    ]);
  });
});
