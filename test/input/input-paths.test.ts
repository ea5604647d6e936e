import { describe, expect, it } from 'vitest';
import { openProblem } from '../../src/input/input-paths.ts';

const system = (code: string): Error => Object.assign(new Error(code), { code });

describe('a path that cannot be opened', () => {
  it('gives each kind of system error a stable code and the place', () => {
    const codes = ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'EMFILE'].map((code) => openProblem('a.csv', system(code)));
    expect(codes.map(({ code }) => code)).toEqual([
      'input.missing',
      'input.missing',
      'input.denied',
      'input.denied',
      'input.unreadable',
    ]);
    expect(codes.every(({ where }) => where === 'a.csv')).toBe(true);
  });

  it('names the system error where it has no words of its own for it', () => {
    expect(openProblem('a.csv', system('EMFILE')).message).toContain('EMFILE');
  });

  it('speaks of a pattern where the shell left one', () => {
    expect(openProblem('exports/*.csv', system('ENOENT')).hint).toContain('pattern');
    expect(openProblem('exports/a.csv', system('ENOENT')).hint).not.toContain('pattern');
  });
});
