/** Why a run stopped early, in words. */
import type { Suggest } from '../lib/shell.ts';
import type { Stop, StopCode } from '../model/outcome.ts';
import { describeProblem } from './problem-text.ts';
import { plain, type Style } from './style.ts';

/** What happened, and on the next line how to fix it. The stop's own message and hint win over those of its code. */
export function describeStop(stop: Stop, suggest: Suggest, style: Style = plain): string {
  const hint = stop.hint ?? HINTS[stop.code](suggest);
  return describeProblem(
    {
      code: `stop.${stop.code}`,
      message: stop.message.trim() === '' ? MESSAGES[stop.code] : stop.message,
      hint,
    },
    style,
  );
}

const MESSAGES: Readonly<Record<StopCode, string>> = {
  key: 'The service refused the API key.',
  address: 'The base URL does not lead to the service.',
  wait: 'The service asked for a longer wait than --max-wait allows.',
  outage: 'The service was unavailable for too long.',
  answers: 'The service repeatedly answered 2xx without a valid receipt.',
  refusals: 'The service refused several batches in a row.',
  canary: 'The service accepted no records of the first batch.',
  invalid: 'More rows are invalid than --max-invalid allows.',
  rows: 'The input has fewer rows than --min-rows requires.',
  storage: 'Cannot write to the run folder.',
  lost: 'Another process has taken over this run.',
  input: 'An input could not be read to the end.',
  signal: 'The run was interrupted.',
};

const HINTS: Readonly<Record<StopCode, (suggest: Suggest) => string | undefined>> = {
  key: (suggest) =>
    `Set the right key with \`${suggest('config', 'set', 'api_key')}\`; SIGNALS_API_KEY takes precedence over it.`,
  address: (suggest) => `Check the base URL: --base-url, or \`${suggest('config', 'get', 'base_url')}\`.`,
  wait: () => 'Resume after that time, or allow a longer wait with --max-wait.',
  outage: () => 'Check that the service is up and reachable from this machine.',
  answers: () => 'Check that the base URL leads to the service itself, not to a login page or a proxy.',
  refusals: () => 'Ask the operator of the service why it refuses these records.',
  canary: () => 'Fix the mapping or the rows, then start a new run.',
  invalid: () => 'Fix the mapping or the rows and start a new run, or allow more with --max-invalid.',
  rows: () => 'Check that the export is complete and start a new run, or require fewer rows with --min-rows.',
  storage: () => 'Free disk space, or choose another folder with --out.',
  lost: () => 'Let the other process finish the run.',
  input: () => 'Fix the input so that it can be read to the end.',
  signal: () => undefined,
};
