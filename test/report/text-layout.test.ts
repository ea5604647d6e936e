import { describe, expect, it } from 'vitest';
import { wrapLines, wrapText } from '../../src/report/text-layout.ts';

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

describe('wrapLines', () => {
  const wrap = (text: string, width = 40): readonly string[] => wrapLines(text, width, 'npx signals');

  it('keeps line breaks, and wraps each line below its text, its bullet or its last column', () => {
    expect(
      wrap('One line.\n  - a bullet with more words than fit\n  2  of a table whose last column is too long'),
    ).toEqual([
      'One line.',
      '  - a bullet with more words than fit',
      '  2  of a table whose last column is too',
      '     long',
    ]);
  });

  it('continues on the next line if the last column would be too narrow', () => {
    expect(wrap('  12  a reason that is rather long  first at file.csv:5')).toEqual([
      '  12  a reason that is rather long',
      '      first at file.csv:5',
    ]);
  });

  it('keeps commands in one piece, so that they can be pasted', () => {
    const command = 'npx signals upload file.csv --base-url https://service.example --out runs';
    expect(wrap(`To send it:\n    ${command}`)).toEqual(['To send it:', `    ${command}`]);
    expect(wrap(`To resume the run: ${command}`)).toEqual(['To resume the run:', command]);
    expect(wrap(`To resume that run, type \`${command}\`. Then wait.`)).toEqual([
      'To resume that run, type',
      `\`${command}\`.`,
      'Then wait.',
    ]);
    expect(wrap(`    KEY=x ${command}`)).toEqual([`    KEY=x ${command}`]);
  });

  it('does not count the codes of styles', () => {
    const bold = (text: string): string => `\x1b[1m${text}\x1b[22m`;
    expect(wrap(bold('These words fit into forty columns, just'))).toEqual([
      bold('These words fit into forty columns, just'),
    ]);
  });
});
