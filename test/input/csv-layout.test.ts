import { describe, expect, it } from 'vitest';
import type { DecodeOptions } from '../../src/model/input-format.ts';
import { problemOf } from '../support/problems.ts';
import { look } from '../support/read.ts';

function delimiterOf(text: string, given: Partial<DecodeOptions> & { name?: string } = {}): string {
  return look(text, { name: 'in.csv', ...given }).delimiter ?? '';
}

describe('the delimiter', () => {
  it('is the candidate that separates the first row, whatever the other cells contain', () => {
    expect(delimiterOf('a;b\nx,y,z;1\nu,v;2\n')).toBe(';');
    expect(delimiterOf('a,b\nx;y;z,1\n')).toBe(',');
    expect(delimiterOf('a^b\n1^2\n')).toBe('^');
    expect(delimiterOf('a|b\n1,1|2\n')).toBe('|');
  });

  it('is not detected inside quotes', () => {
    expect(delimiterOf('"a;b;c","d"\n"1;2;3","4"\n')).toBe(',');
  });

  it('is detected from the content rather than from the file name', () => {
    expect(delimiterOf('a\tb\n1\t2\n', { name: 'x.csv' })).toBe('\t');
    expect(delimiterOf('a,b\n1,2\n', { name: 'x.tsv' })).toBe(',');
  });

  it('is a tab if a .tsv file is ambiguous', () => {
    expect(delimiterOf('a\tb,c\n', { name: 'x.tsv' })).toBe('\t');
  });

  it('is the candidate under which the rows fit the header, if two separate it', () => {
    expect(delimiterOf('a;b,c\n1;2\n3;4\n')).toBe(';');
  });

  it('loses to another candidate if it occurs only before a space or between two digits', () => {
    expect(delimiterOf('City, State;Share\nOslo, NO;0,5\n')).toBe(';');
    expect(delimiterOf('City, State\tShare\nOslo, NO\t0,5\n')).toBe('\t');
    // Without another candidate, cells may begin with a space.
    expect(delimiterOf('City, State\nOslo, NO\n')).toBe(',');
  });

  it('must be given if two candidates fit equally well', () => {
    const problem = problemOf(() => look('a;b,c\n1;2,3\n', { name: 'in.csv' }));
    expect(problem).toMatchObject({ code: 'input.delimiter', where: 'in.csv' });
    expect(problem.message).toContain('by comma into 2 columns or by semicolon into 2 columns');
    expect(problem.hint).toBe("Pass `--delimiter ','` or `--delimiter ';'`.");
    expect(delimiterOf('a;b,c\n1;2,3\n', { delimiter: ';' })).toBe(';');
  });

  it('is the candidate that gives twice as many cells if there is one row', () => {
    expect(delimiterOf('Name,First;b;c;d\nDoe,Jo;1;2;3\n')).toBe(';');
  });

  it('is a comma if there is one column', () => {
    expect(look('company\nAcme\nBeta\n', { name: 'in.csv' })).toMatchObject({
      delimiter: ',',
      columns: ['company'],
    });
  });

  it('is detected from the first row if there is no header', () => {
    expect(delimiterOf('1,5;2\n3,5;4\n', { header: false })).toBe(';');
  });
});

describe('the line of the header', () => {
  it('must be given if lines with few cells come before rows of texts alone', () => {
    const problem = problemOf(() => look('Report\nof today\n\na,b,c\nx,y,z\nu,v,w\n', { name: 'in.csv' }));
    expect(problem).toMatchObject({ code: 'input.header', where: 'in.csv:1' });
    expect(problem.message).toBe("The header of 'in.csv' is not clear: line 1 has text in 1 cell, and line 4 in 3.");
    expect(problem.hint).toContain('--header-line 4');
    expect(look('Report\nof today\n\na,b,c\nx,y,z\n', { headerLine: 4 })).toMatchObject({
      columns: ['a', 'b', 'c'],
      body: { line: 5 },
    });
  });

  it('is found after mostly empty lines, if values below tell it from a row', () => {
    const text = 'Companies of Berlin,,,\nas of 2026-11-20,,,\nID,Name,Site,City\n1,Acme,acme.example,Berlin\n';
    const found = look(text);
    expect(found).toMatchObject({ columns: ['ID', 'Name', 'Site', 'City'], body: { line: 4 } });
    expect(found.description).toContain('header on line 3 (lines 1 to 2 are not read)');
    // An option overrides that.
    expect(look(text, { delimiter: ',' }).columns[0]).toBe('ID');
    expect(look(text, { headerLine: 1 }).columns[0]).toBe('Companies of Berlin');
    expect(look(text, { header: false }).columns).toEqual(['1', '2', '3', '4']);
    // Half of the names are enough for a header.
    expect(look('a,b,,\n1,2,3,4\n').columns).toEqual(['a', 'b', 'column 3', 'column 4']);
  });

  it("is found after a title with another delimiter, and after Excel's sep= line", () => {
    const table = 'Company;Site;Raised\nAcme;acme.example;"5,0"\nBeta;beta.example;"7,5"\n';
    expect(look(`Funding, Q3\nfrom Berlin, DE\n\n${table}`)).toMatchObject({
      delimiter: ';',
      columns: ['Company', 'Site', 'Raised'],
      body: { line: 5 },
    });
    const found = look(`sep=;\nFunding;;\n${table}`);
    expect(found.columns).toEqual(['Company', 'Site', 'Raised']);
    expect(found.description).toContain('header on line 3 (line 2 is not read)');
  });

  it('counts blank lines, and lines inside the quotes of a preamble', () => {
    expect(look('"a\nb"\n\nx,y\n1,2\n', { headerLine: 4 })).toMatchObject({
      columns: ['x', 'y'],
      body: { line: 5 },
    });
  });

  it('must be in the file', () => {
    expect(problemOf(() => look('a,b\n1,2\n', { headerLine: 3 }))).toMatchObject({
      code: 'option.header_line',
      message: "--header-line is 3, but 'in' has only 2 lines.",
    });
    expect(problemOf(() => look('a,b\n', { headerLine: 2, header: false })).code).toBe('option.header_line');
    expect(problemOf(() => look('{"a":1}\n', { headerLine: 2 })).code).toBe('option.header_line');
  });

  it("is the line after Excel's sep= line", () => {
    for (const first of ['sep=;', '"sep=;"', 'SEP=; ']) {
      expect(look(`\ufeff${first}\r\na;b\r\n`)).toMatchObject({
        columns: ['a', 'b'],
        delimiter: ';',
        body: { line: 3 },
      });
    }
    // The option overrides the file.
    expect(look('sep=;\na|b\n', { delimiter: '|' }).columns).toEqual(['a', 'b']);
  });

  it('is line 1 of our rejects files, whatever the options are', () => {
    const text = '_line,_reason,1,2\r\n3,found 1 cell,x,y\r\n';
    for (const given of [{ header: false }, { headerLine: 7 }, { quote: "'" }, { delimiter: '|' }]) {
      expect(look(text, given)).toMatchObject({
        columns: ['_line', '_reason', '1', '2'],
        quote: '"',
        delimiter: ',',
        body: { line: 2 },
      });
    }
  });
});

describe('carriage returns', () => {
  it('end the lines if no line feed is outside quotes', () => {
    expect(look('a,"b\nc"\r1,2\r').lineEnd).toBe('\r');
    expect(look('a,b\r').lineEnd).toBe('\r');
    expect(look('{"a":1}\r{"a":2}\r').lineEnd).toBe('\r');
    expect(look('a,b\r\n1,2\r\n').lineEnd).toBeUndefined();
    expect(look('a,"b\rc"\n').lineEnd).toBeUndefined();
    expect(look('a,b').lineEnd).toBeUndefined();
  });

  it('are data if line feeds end the lines', () => {
    expect(look('a,b\rc\n1,2\n').columns).toEqual(['a', 'b\rc']);
  });
});
