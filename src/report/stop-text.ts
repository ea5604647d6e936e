/** Why a run sent nothing more, in words. */

import type { Suggest } from '../lib/shell.ts';
import type { Stop, StopCode } from '../model/outcome.ts';
import { describeProblem } from './problem-text.ts';
import { plain, type Style } from './style.ts';

/**
 * What happened, and on a line of its own what to mend. The stop's own words come first; where it has none,
 * its code has.
 */
export function describeStop(stop: Stop, suggest: Suggest, style: Style = plain): string {
  const hint = stop.hint ?? HINTS[stop.code](suggest);
  return describeProblem(
    {
      code: `stop.${stop.code}`,
      message: stop.message.trim() === '' ? MESSAGES[stop.code] : stop.message,
      ...(hint === undefined ? {} : { hint }),
    },
    style,
  );
}

const MESSAGES: Readonly<Record<StopCode, string>> = {
  key: 'The service refused the key.',
  address: 'What answers at the base URL is not the service.',
  wait: 'The service asked for a longer wait than --max-wait allows.',
  outage: 'The service gave no good answer for too long.',
  answers: 'The answers were no receipts, again and again.',
  refusals: 'The service refused one batch after the other.',
  canary: 'The service took nothing of the first batch.',
  invalid: 'More rows are invalid than --max-invalid allows.',
  rows: 'There are fewer rows than --min-rows asks for.',
  storage: 'The run folder cannot be written.',
  input: 'An input could not be read to its end.',
  signal: 'The run was interrupted.',
};

const HINTS: Readonly<Record<StopCode, (suggest: Suggest) => string | undefined>> = {
  key: (suggest) =>
    `Store the right key with \`${suggest('config', 'set', 'api_key')}\`; SIGNALS_API_KEY in the environment comes before it.`,
  address: (suggest) => `Check the base URL: --base-url, or \`${suggest('config', 'get', 'base_url')}\`.`,
  wait: () => 'Begin again after that time, or allow a longer wait with --max-wait.',
  outage: () => 'Check that the service is up, and that this machine can reach it.',
  answers: () => 'Check that the base URL leads to the service itself, and not to a page in front of it.',
  refusals: () => 'Ask the owner of the service why it refuses these records.',
  canary: () => 'Mend the mapping or the rows, and begin a new run.',
  invalid: () => 'Mend the mapping or the rows, and begin a new run; or allow more with --max-invalid.',
  rows: () => 'Check that the export came whole, and begin a new run; or ask for fewer with --min-rows.',
  storage: () => 'Make room on the disk, or choose another place with --out.',
  input: () => 'Make the input readable to its end.',
  signal: () => undefined,
};
