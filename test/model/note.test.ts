import { describe, expect, it } from 'vitest';
import { noteKey, parseNoteKey } from '../../src/model/problem.ts';

describe('noteKey', () => {
  it.each([
    [{ code: 'date_only', field: 'detected_at' }, 'date_only:detected_at'],
    [{ code: 'open_value', field: 'platform', value: 'blue=sky\n' }, 'open_value:platform=blue=sky\n'],
    [{ code: 'open_value', field: 'platform', value: '' }, 'open_value:platform='],
  ] as const)('writes %j, and parseNoteKey reads it back', (note, key) => {
    expect(noteKey(note)).toBe(key);
    expect(parseNoteKey(key)).toEqual(note);
  });

  it.each(['something_new:x', 'other:', 'date_only', ''])('parseNoteKey rejects %j', (key) => {
    expect(parseNoteKey(key)).toBeUndefined();
  });
});
