import { expect, test } from 'vitest';
import { columnsIn } from '../../../src/map/discover/column.ts';
import { subjectFacts } from '../../../src/map/discover/subjects.ts';
import subjects from '../../../src/map/discover/table-subjects.json' with { type: 'json' };

const NAMES = Object.keys(subjects);

/** The subjects of headers, of the file's name, of short texts and of long texts. */
function subjectsOf(columns: readonly string[], file: string, ...rows: readonly (readonly string[])[]): string[][] {
  const facts = subjectFacts(columnsIn({ columns, rows }), file);
  return [0, 1, 2, 3].map((part) => NAMES.filter((_, at) => (facts[part * NAMES.length + at] ?? 0) > 0));
}

test('a phrase, an ending, a plural and a word without spaces around it say what headers are about', () => {
  expect(subjectsOf(['Bid submission'], '')[0]).toEqual(['tender']);
  expect(subjectsOf(['Ausschreibungen'], '')[0]).toEqual(['tender']);
  expect(subjectsOf(['vacunas'], '')[0]).toEqual(['health']);
  expect(subjectsOf(['本次融资轮次'], '')[0]).toEqual(['funding']);
  expect(subjectsOf(['Qwxyz'], '')[0]).toEqual([]);
});

test('the name of the file, short texts and long texts count apart', () => {
  const [headers, file, short, long] = subjectsOf(['a', 'b'], 'data/pacientes.csv', [
    'Nurse',
    'Yesterday she wrote that the goalkeeper saved every shot',
  ]);
  expect(headers).toEqual([]);
  expect(file).toEqual(['health']);
  expect(short).toContain('job_titles');
  expect(long).not.toContain('job_titles');
});

test('a word counts less the more subjects it has and the more words are around it', () => {
  const sumOf = (header: string): number =>
    subjectFacts(columnsIn({ columns: [header], rows: [] }), '').reduce((a, b) => a + b, 0);
  expect(sumOf('tender')).toBeCloseTo(1);
  expect(sumOf('tender qwxyz')).toBeCloseTo(0.5);
});
