import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { compileAtBest, flagsFor } from '../src/tuning.ts';
import { root, run } from './cli/program.ts';

describe('what the engine is told', () => {
  it('is said to the versions of Node on which it was tried, and to no other', () => {
    for (const major of [20, 22, 24, 26]) expect(flagsFor(major)?.whenGrown).toHaveLength(1);
    for (const major of [18, 27, Number.NaN]) expect(flagsFor(major)).toBeUndefined();
  });

  it('is understood by this Node, which would complain on stderr', async () => {
    const { code, stderr } = await run(root, ['fields']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const major = Number.parseInt(process.versions.node, 10);
    const { atOnce = [], whenGrown = [], forMany = [] } = flagsFor(major) ?? {};
    const words = [...atOnce, ...whenGrown, ...forMany]
      .map((flag) => `v8.setFlagsFromString('${flag}');`)
      .join('');
    const said = spawnSync(process.execPath, ['-e', `${words} console.log('done')`], { encoding: 'utf8' });
    expect([said.status, said.stdout, said.stderr]).toEqual([0, 'done\n', '']);
  });

  it('is taken back while the kernel is compiled, without a word', async () => {
    expect(compileAtBest(() => 'compiled')).toBe('compiled');
    expect(() =>
      compileAtBest(() => {
        throw new Error('no memory');
      }),
    ).toThrow('no memory');
    const { code, stderr } = await run(root, ['check', 'fixtures/signals.csv', '--no-progress']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });
});
