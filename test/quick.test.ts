import { describe, expect, it } from 'vitest';
import { commands } from '../src/commands/index.ts';
import { overview, quickAnswer } from '../src/quick.ts';
import { root, run } from './cli/program.ts';

const wide = (): number => 80;

describe('what needs no command', () => {
  it('is the version and the list of commands, asked for alone', () => {
    expect(quickAnswer(['--version'], wide)?.exitCode).toBe(0);
    expect(quickAnswer(['--help'], wide)).toEqual(quickAnswer(['-h'], wide));
    expect(quickAnswer([], wide)).toEqual({ text: overview(80), exitCode: 2 });
    for (const argv of [['upload'], ['--help', 'upload'], ['--version', 'x'], ['--nope']]) {
      expect(quickAnswer(argv, wide)).toBeUndefined();
    }
  });

  it('lists every command with its words, in lines that fit', () => {
    for (const columns of [72, 80, 120]) {
      const lines = overview(columns).split('\n');
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
      const words = lines.map((line) => line.trim()).join(' ');
      for (const { name, summary } of commands) {
        expect(lines.some((line) => line.startsWith(`  ${name} `))).toBe(true);
        expect(words).toContain(summary);
      }
    }
  });

  it('leaves lines whole on a screen that is too narrow for columns', () => {
    const longest = Math.max(...commands.map(({ summary }) => summary.length));
    expect(
      Math.max(
        ...overview(20)
          .split('\n')
          .map((line) => line.length),
      ),
    ).toBeGreaterThan(longest);
  });

  it('is the same, whichever way it was asked for', async () => {
    const plain = await run(root, ['--help']);
    // This one goes through the parser.
    const parsed = await run(root, ['-h', '--']);
    expect(plain).toMatchObject({ code: 0, stderr: '' });
    expect(parsed.stdout).toBe(plain.stdout);
    expect((await run(root, [])).code).toBe(2);
  });
});
