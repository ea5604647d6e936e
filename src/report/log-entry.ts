/** Entries of the log for programs (`--log-format json`, `--log-file`), and the lines of `--verbose`. Pure. */
import { printable } from '../lib/printable.ts';
import { count, humanDuration, plural } from '../lib/units.ts';
import type { RunEvent, RunStarted } from '../model/event.ts';
import type { LogEntry } from '../model/published-schemas.ts';
import type { RunState } from '../model/run-state.ts';
import type { CheckSummary, Summary } from '../model/summary.ts';
import { stateCounts } from './next-step.ts';
import { bytesRead } from './run-summary.ts';

/** Returns the entries that an event adds to the log of a run, or of a check. */
export function createLogReader(
  verbose: boolean,
  checking: boolean,
): (event: RunEvent, runState: Pick<RunState, 'throttle'>) => readonly LogEntry[] {
  if (checking) return (event) => (event.event === 'run.started' ? [startEntry('check.started', event)] : []);
  let wasOutage = false;
  return (event, { throttle: { outage } }) => {
    const changed = outage === wasOutage ? [] : [outage ? OUTAGE_STARTED : OUTAGE_ENDED];
    wasOutage = outage;
    return [...changed, ...eventEntries(event, verbose)];
  };
}

const OUTAGE_STARTED: LogEntry = { event: 'outage.started', level: 'warning', message: 'The service is unavailable.' };
const OUTAGE_ENDED: LogEntry = { event: 'outage.ended', level: 'info', message: 'The service is available again.' };

function startEntry(name: 'run.started' | 'check.started', { type, variant, inputs }: RunStarted): LogEntry {
  const what = name === 'run.started' ? 'run' : 'check';
  const message = `The ${what} started: ${plural(inputs.length, 'input')}.`;
  return { event: name, level: 'info', message, type, variant, inputs };
}

function eventEntries(event: RunEvent, verbose: boolean): readonly LogEntry[] {
  switch (event.event) {
    case 'run.started':
      return [startEntry('run.started', event)];
    case 'run.resumed':
      return [{ event: 'run.resumed', level: 'info', message: 'The run is resumed.' }];
    case 'throttle.changed':
      return [{ ...event, level: 'info', message: narrate(event) ?? '' }];
    case 'attempt.failed':
    case 'batch.split':
    case 'batch.settled': {
      const isGood = event.event === 'batch.settled' && event.outcome === 'delivered';
      return verbose ? [{ ...event, level: isGood ? 'info' : 'warning', message: narrate(event) ?? '' }] : [];
    }
    case 'source.ended': {
      const { source, bytes, rows, digest } = event;
      const message = narrate(event) ?? '';
      return verbose ? [{ event: 'source.ended', level: 'info', message, source, bytes, rows, digest }] : [];
    }
    default:
      return [];
  }
}

export function progressEntry(
  runState: RunState,
  view: Readonly<Record<'share' | 'throughput' | 'msLeft', number | undefined>>,
  message: string,
): LogEntry {
  const { rows, batches, service, requests, retries, bytesSent } = runState;
  const { share, throughput, msLeft } = view;
  return {
    event: 'progress',
    level: 'info',
    message,
    rows,
    batches,
    service,
    requests,
    retries,
    bytesRead: bytesRead(runState),
    bytesSent,
    share: share === undefined ? undefined : Math.round(share * 1000) / 1000,
    rowsPerSecond: throughput === undefined ? undefined : Math.round(throughput * 10) / 10,
    secondsLeft: msLeft === undefined ? undefined : Math.ceil(msLeft / 1000),
  };
}

export function endEntry(result: Summary | CheckSummary): LogEntry {
  const { exitCode, state, requests } = result;
  const level = exitCode === 0 ? 'info' : 'error';
  const { read, ...states } = result.rows;
  const counts = read === 0 ? '' : `: ${stateCounts(states, Object.keys(states))}`;
  const message = `${state}, exit code ${exitCode}. ${count(read)} rows read${counts}.`;
  if ('dryRun' in result) {
    const { rows, bytes } = result;
    return { event: 'check.ended', level, message: `The check is ${message}`, state, exitCode, rows, requests, bytes };
  }
  return { event: 'run.ended', level, message: `The run is ${message}`, ...result };
}

/** The line for an event, without a line end; undefined for events that the progress display already shows. */
export function narrate(event: RunEvent): string | undefined {
  switch (event.event) {
    case 'attempt.failed': {
      const then = {
        retry: `retrying in ${humanDuration(event.afterMs ?? 0)}`,
        wait: `sending paused for ${humanDuration(event.afterMs ?? 0)}`,
        split: 'splitting it',
        settle: 'giving up',
        stop: 'stopping the run',
      }[event.next];
      const doubt = event.maybeProcessed ? ' (may have been processed)' : '';
      const error = printable(event.error, 300).replace(/\.$/u, '');
      return `batch ${event.batch}, attempt ${event.attempt}: ${error}${doubt}; ${then}`;
    }
    case 'batch.split': {
      const parts = event.parts.map(({ batch, records }) => `${batch} (${plural(records, 'record')})`);
      return `batch ${event.batch} split into ${parts.join(' and ')}`;
    }
    case 'batch.settled': {
      const status = event.receipt === undefined ? '' : ` as ${printable(event.receipt.batchId, 80)}`;
      return `batch ${event.batch}: ${event.outcome}${status} after ${humanDuration(event.ms)}`;
    }
    case 'throttle.changed':
      if (event.state === 'limited') {
        if (event.concurrency === undefined) return 'concurrency restored to --concurrency';
        const why = event.why === undefined ? '' : `: ${printable(event.why, 120)}`;
        return `concurrency limited to ${event.concurrency}${why}`;
      }
      return `sending paused for ${humanDuration(event.ms ?? 0)}: ${printable(event.why ?? '', 120)}`;
    case 'source.ended':
      return `input ${event.source + 1} read completely: ${count(event.rows)} rows, XXH64 ${event.digest}`;
    default:
      return undefined;
  }
}
