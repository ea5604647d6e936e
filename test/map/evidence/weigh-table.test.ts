import { describe, expect, it } from 'vitest';
import { typeOf } from '../discover/headers.ts';
import { sampleOf } from './sample-of.ts';
import { TABLES } from './tables.ts';

describe('the rows of a table', () => {
  it.each(TABLES.map((table, index) => [index, ...table] as const))('%i %s %s', (_index, type, file, ...columns) => {
    const found = typeOf(sampleOf(...columns), file);
    if (type === 'unknown') expect(['neither', undefined]).toContain(found);
    else expect(found).toBe(type);
  });
});
