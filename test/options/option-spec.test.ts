import { expect, test } from 'vitest';
import { commands } from '../../src/commands/index.ts';
import type { Work } from '../../src/commands/shared/command.ts';

/** The name under which the command line hands over an option: `retryMaxTime` for `--retry-max-time <time>`. */
function nameOf(flags: string): string {
  const long = /--(?:no-)?([a-z-]+)/.exec(flags)?.[1] ?? '';
  return long.replace(/-([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}

function tablesOf(work: Work): readonly NonNullable<Work['options']>[] {
  return [work.options ?? {}, ...(work.commands ?? []).flatMap(tablesOf)];
}

test.each(commands.map(({ name, load }) => [name, load] as const))(
  'each option of %s has the name of its flag',
  async (_name, load) => {
    for (const table of tablesOf(await load())) {
      for (const [name, { flags }] of Object.entries(table)) expect(nameOf(flags)).toBe(name);
    }
  },
);
