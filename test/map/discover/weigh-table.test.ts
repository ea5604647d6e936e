import { describe, expect, it } from 'vitest';
import { typedTables, typeOf } from './headers.ts';
import { sampleOf } from './sample-of.ts';

describe('the rows of a table', () => {
  it.each(typedTables())('$type $file $columns', ({ type, file, columns }) => {
    const found = typeOf(sampleOf(...columns), file);
    if (type === 'unknown') expect(['neither', undefined]).toContain(found);
    else expect(found).toBe(type);
  });
});
