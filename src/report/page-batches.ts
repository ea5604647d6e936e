/** The outcome of each batch, failures first. {@link BatchLog} reads events, keeps a few hundred batches and counts the rest. */
import { cut } from '../lib/text.ts';
import { count, humanDuration, plural } from '../lib/units.ts';
import { byFirstRow } from '../model/batch.ts';
import type { AttemptFailed, BatchSettled } from '../model/event.ts';
import type { RowRange } from '../model/row.ts';
import type { AnswerGroup, RunReader, UndeliveredBatch } from '../model/run-state.ts';
import { fold, type Html, html, htmlSection, htmlTable, utc } from './html.ts';
import { place } from './text-layout.ts';

/** Characters of an error: a page of hostile answers must stay small. */
const ERROR_LENGTH = 300;
const RANGES_SHOWN = 3;

export interface BatchSectionFacts {
  readonly batches: BatchFacts;
  /** Why batches were not delivered. */
  readonly answers: readonly AnswerGroup[];
  /** Batches that were not settled: never sent, or in flight when the run was killed. */
  readonly unsettled: number;
  /** Names of the inputs. */
  readonly names: readonly string[];
}

export function batchSection({
  batches: { failed, partly, whole, more },
  answers,
  names,
  unsettled,
}: BatchSectionFacts): Html | undefined {
  if (failed.length + partly.length + whole.length + unsettled === 0) return undefined;
  return htmlSection(
    'batches',
    'Batches',
    unsettled === 0
      ? undefined
      : html`<p>${plural(unsettled, 'batch has', 'batches have')} no outcome: not sent, or the answer never came.</p>\n`,
    answers.length === 0 ? undefined : answerTable(answers),
    ...group('Not delivered', failed, names),
    ...group('Delivered, with records that were rejected or not accounted for', partly, names),
    deliveredTable(whole, names),
    more === 0
      ? undefined
      : html`<p class="soft">${plural(more, 'more batch is', 'more batches are')} not listed here; results.csv has them all.</p>\n`,
  );
}

function answerTable(answers: BatchSectionFacts['answers']): Html {
  return htmlTable(
    'Why batches were not delivered',
    { Outcome: 'name', Batches: 'number', Records: 'number', Error: 'wide' },
    answers.map(({ outcome, batches, records, error }) => [outcome, batches, records, cut(error, ERROR_LENGTH)]),
  );
}

function group(heading: string, entries: readonly BatchEntry[], names: readonly string[]): readonly Html[] {
  if (entries.length === 0) return [];
  return [html`<h3>${heading}</h3>\n`, ...entries.map((entry) => batch(entry, names))];
}

function deliveredTable(entries: readonly BatchEntry[], names: readonly string[]): Html | undefined {
  if (entries.length === 0) return undefined;
  const rows = entries.map(({ batch: id, ranges, records, settled }) => [
    id,
    rangesText(ranges, names),
    records,
    settled.attempts,
    humanDuration(settled.ms),
    settled.receipt?.batchId ?? '',
  ]);
  const columns = {
    Batch: 'text',
    Rows: 'wide',
    Records: 'number',
    Attempts: 'number',
    Took: 'number',
    'Batch id of the service': 'wide',
  } as const;
  const what = `${plural(entries.length, 'delivered batch', 'delivered batches')}`;
  return fold(`${what}, all records accounted for`, htmlTable('Delivered batches', columns, rows, 'tall'));
}

function batch(entry: BatchEntry, names: readonly string[]): Html {
  const { records, settled, failures } = entry;
  const { outcome, status, error, attempts, ms, receipt, unaccounted, time } = settled;
  const tone = outcome === 'delivered' ? 'is-odd' : 'is-bad';
  const counts = [
    receipt?.rejected === undefined || receipt.rejected === 0 ? '' : `, ${count(receipt.rejected)} rejected`,
    unaccounted === 0 ? '' : `, ${count(Math.abs(unaccounted))} unaccounted`,
  ].join('');
  const facts: readonly (readonly [string, string | number | undefined])[] = [
    ['Rows', rangesText(entry.ranges, names)],
    ['Settled', `${utc(time)} UTC`],
    ['Took', `${humanDuration(ms)}, ${plural(attempts, 'attempt')}`],
    ['HTTP status', status],
    ['Batch id', receipt?.batchId],
    ['Accepted', receipt?.accepted],
    ['Deduplicated', receipt?.deduplicated],
    ['Promoted', receipt?.promoted],
    ['Why', error && cut(error, ERROR_LENGTH)],
  ];
  return html`<details class="batch"><summary>Batch ${entry.batch}: <b class="${tone}">${outcome}</b>, ${plural(records, 'record')}${counts}</summary>
<dl>${facts.map(([name, value]) => (value === undefined ? undefined : html`<dt>${name}</dt><dd>${typeof value === 'number' ? count(value) : value}</dd>`))}</dl>
${failures.length === 0 ? undefined : failureTable(failures)}</details>
`;
}

function failureTable(failures: BatchEntry['failures']): Html {
  return htmlTable(
    'Failed attempts',
    { 'Time (UTC)': 'time', Took: 'number', Error: 'wide' },
    failures.map(({ time, ms, error }) => [utc(time), humanDuration(ms), cut(error, ERROR_LENGTH)]),
  );
}

/** `in.csv:2 to 101` */
function rangesText(ranges: readonly RowRange[], names: readonly string[]): string {
  const shown = ranges
    .slice(0, RANGES_SHOWN)
    .map(({ source, firstLine, lastLine }) => {
      const first = place(names, { source, line: firstLine });
      return lastLine === firstLine ? first : `${first} to ${lastLine}`;
    })
    .join(', ');
  return ranges.length > RANGES_SHOWN ? `${shown} and ${count(ranges.length - RANGES_SHOWN)} more` : shown;
}

const BATCH_LIMIT = 300;
/** Delivered batches, which need no attention. */
const DELIVERED_LIMIT = 100;
const ATTEMPT_LIMIT = 5;

export interface BatchEntry extends Pick<UndeliveredBatch, 'batch' | 'records' | 'ranges'> {
  readonly settled: BatchSettled;
  /** The first failed attempts. */
  readonly failures: readonly AttemptFailed[];
}

/** In the order of the input. */
export interface BatchFacts {
  /** Not delivered. */
  readonly failed: readonly BatchEntry[];
  /** Delivered, with records that were rejected or not accounted for. */
  readonly partly: readonly BatchEntry[];
  /** Delivered, with all records accounted for. */
  readonly whole: readonly BatchEntry[];
  /** Settled batches that are not listed. */
  readonly more: number;
}

export class BatchLog {
  /** Not delivered, by id: a resume may reopen them. */
  readonly #undelivered = new Map<string, BatchEntry>();
  readonly #partly: BatchEntry[] = [];
  readonly #whole: BatchEntry[] = [];
  readonly #failures = new Map<string, AttemptFailed[]>();
  #deliveredCount = 0;

  readonly on: RunReader = (event, _runState, changes) => {
    if (event.event === 'attempt.failed') {
      const failures = this.#failures.get(event.batch) ?? [];
      if (failures.length < ATTEMPT_LIMIT) failures.push(event);
      this.#failures.set(event.batch, failures);
    }
    for (const { batch, to } of changes) {
      this.#undelivered.delete(batch.batch);
      if (event.event === 'batch.settled') this.#settle(batch, event);
      if (to !== 'pending') this.#failures.delete(batch.batch);
    }
  };

  facts(): BatchFacts {
    const failed = [...this.#undelivered.values()].sort(byFirstRow).slice(0, BATCH_LIMIT);
    const partly = this.#partly.sort(byFirstRow).slice(0, BATCH_LIMIT - failed.length);
    const whole = this.#whole.sort(byFirstRow).slice(0, BATCH_LIMIT - failed.length - partly.length);
    const listed = failed.length + partly.length + whole.length;
    return { failed, partly, whole, more: this.#undelivered.size + this.#deliveredCount - listed };
  }

  #settle({ batch, records, ranges }: UndeliveredBatch, settled: BatchSettled): void {
    const { outcome, unaccounted, receipt } = settled;
    const entry = { batch, records, ranges, settled, failures: this.#failures.get(batch) ?? [] };
    if (outcome !== 'delivered') {
      this.#undelivered.set(batch, entry);
      return;
    }
    this.#deliveredCount += 1;
    const isWhole = unaccounted === 0 && (receipt?.rejected ?? 0) === 0;
    const list = isWhole ? this.#whole : this.#partly;
    if (list.length < (isWhole ? DELIVERED_LIMIT : BATCH_LIMIT)) list.push(entry);
  }
}
