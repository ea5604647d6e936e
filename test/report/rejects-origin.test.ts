import { expect, test } from 'vitest';
import { originOfReject } from '../../src/report/results-and-rejects.ts';

test.each([
  ['3,company_name is missing,,Acme', 'a.csv:3'],
  ['\ufeff3;"a ""b"";c:4"; Acme', 'a.csv:3'],
  ['3,company_name is missing,b.csv:12,,Acme', 'b.csv:12'],
  ['3;"found ""x;y""";"b;c.csv:12";Acme', 'a.csv:3'],
  ['{"_line":3,"_reason":"found \\"x\\"","a":"b.csv:12"}', 'a.csv:3'],
  ['{"_line":3,"_reason":"found \\"x\\"","_origin_line":"b.ndjson:12"}', 'b.ndjson:12'],
  ['_line,_reason', undefined],
])('knows where a reject comes from: %s', (text, origin) => {
  expect(originOfReject(text, 'a.csv')).toBe(origin);
});
