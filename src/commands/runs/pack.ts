/** `signals runs pack`: one archive of a run for somebody else, who then finishes it. */
import path from 'node:path';
import { writeHandover } from '../../journal/handover.ts';
import { inspectStoredRun, type LineageRun, lockLineage } from '../../journal/lineage.ts';
import type { Lock } from '../../journal/lock.ts';
import { packRuns } from '../../journal/pack-run.ts';
import { printable } from '../../lib/printable.ts';
import { humanBytes } from '../../lib/units.ts';
import { describeProblem } from '../../report/problem-text.ts';
import { nameList } from '../../report/text-layout.ts';
import type { Command, Context, Options } from '../shared/command.ts';
import { text } from '../shared/options.ts';
import { carry } from '../shared/run-history.ts';
import { createSuggest } from '../shared/suggest.ts';
import { COMMON, folderOf } from './runs-options.ts';

export const pack = {
  name: 'pack',
  arguments: '<run>',
  summary: 'pack a run into one archive and hand it over; it cannot be sent from here afterwards',
  options: [
    { flags: '--to <file>', about: 'archive to write (default: ID.tar.gz in this folder)' },
    ...COMMON,
  ],
  run,
} satisfies Command;

async function run(
  context: Context,
  [wanted = 'last']: readonly string[],
  options: Options,
): Promise<number> {
  const { streams } = context;
  const folder = await folderOf(context, options, wanted);
  const locks = new Map<string, Lock>();
  try {
    const members: LineageRun[] = [];
    for (const kin of await lockLineage(folder, locks)) members.push(await inspectStoredRun(kin, true));
    const [self] = members;
    if (self === undefined) throw new Error('a run is missing from its own lineage');
    // Whoever finishes it has another state folder.
    for (const { file, folder: one, inspected } of members) {
      if (inspected.ledger.state === 'complete') continue;
      for (const warning of await carry(context, file, one.path)) {
        streams.err(`${streams.style.err.yellow('warning')}: ${describeProblem(warning)}\n`);
      }
    }
    const target = text(options, 'to') ?? `${folder.id}.tar.gz`;
    const { inputs, bytes } = await packRuns(members, target);
    const mark = { time: new Date().toISOString(), archive: path.resolve(target) };
    for (const member of members) writeHandover(member.folder.path, mark);
    if (options['json'] === true) {
      streams.out(`${JSON.stringify({ run: self.file.run, archive: target, bytes, inputs })}\n`);
      return 0;
    }
    const command = self.inspected.ledger.state === 'complete' ? 'replay' : 'resume';
    const isOpen = members.some(({ inspected: { ledger } }) => {
      const { exhausted, unknown, refused } = ledger.rows;
      return ledger.state !== 'complete' || exhausted + unknown + refused > 0;
    });
    streams.out(
      [
        `${printable(target)} holds all of ${printable(self.file.run)}${inputs.length === 0 ? '' : `, its inputs too (${nameList(inputs)})`}: ${humanBytes(bytes)}. It holds personal data, and no key.`,
        isOpen
          ? `Whoever finishes it unpacks it, and types: ${createSuggest(context, {})(command, folder.id, '--out', '.')}`
          : 'Nothing of it is left to send.',
        'From here nothing more of it is sent.',
        '',
      ].join('\n'),
    );
    return 0;
  } finally {
    for (const lock of locks.values()) await lock.release();
  }
}
