/**
 * Files of the delivered index. A segment has the entries of one run: a line about the run, a line for each entry, and
 * a line that ends it. Each line has a checksum, as in the journal.
 *
 * A file is written under a temporary name and then renamed, and it never changes afterwards. So any number of
 * processes can read and write at the same time.
 */
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { type AppendFile, openAppend } from '../journal/append-file.ts';
import { batchesInFlight } from '../journal/batch-reducer.ts';
import { decodeLine, encodeLine } from '../journal/event-line.ts';
import { linesIfExists } from '../journal/file-lines.ts';
import { makeFolder } from '../journal/file-system.ts';
import { once } from '../lib/resources.ts';
import type { RunEvent } from '../model/event.ts';
import type { BatchChange, RunState, UndeliveredBatch } from '../model/run-state.ts';

const segmentSchema = once(() =>
  z.object({
    v: z.literal(1),
    run: z.string(),
    /** The run folder: absolute. Together with the time it distinguishes two runs of one name. */
    folder: z.string(),
    startedAt: z.string(),
    /** Length in bytes of the journal from which the segment was made. */
    journal: z.number(),
  }),
);

const entrySchema = once(() =>
  z.object({ state: z.enum(['delivered', 'unknown']), time: z.number(), keys: z.string() }),
);

/** The number of entries before it. */
const endSchema = once(() => z.object({ end: z.number() }));

/** The run of a segment. */
export type Segment = Omit<z.infer<ReturnType<typeof segmentSchema>>, 'v'>;

export const EXTENSION = '.ndjson';

/**
 * Reads the segments of a file. The entries of a segment without an end are read too: each has its own checksum.
 *
 * @param wants called for each segment; the entries of others are skipped
 * @returns the segments that are complete; none if the file was merged into another one meanwhile
 */
export async function readSegmentFile(
  file: string,
  wants: (segment: Segment) => boolean,
  onEntry: (entry: SentEntry, segment: Segment) => void = () => undefined,
): Promise<readonly Segment[]> {
  const complete: Segment[] = [];
  let open: { readonly segment: Segment; readonly wanted: boolean; entries: number } | undefined;
  for await (const { text } of linesIfExists(file)) {
    const line = decodeLine(text);
    const end = endSchema().safeParse(line).data;
    const entry = entrySchema().safeParse(line).data;
    if (entry !== undefined && open !== undefined) {
      open.entries += 1;
      if (open.wanted) onEntry(entry, open.segment);
    } else if (end !== undefined && open !== undefined) {
      if (end.end === open.entries) complete.push(open.segment);
      open = undefined;
    } else {
      const segment = segmentSchema().safeParse(line).data;
      open = segment && { segment, wanted: wants(segment), entries: 0 };
    }
  }
  return complete;
}

/** Writes a file of segments, which appears when all of it is written. @param name without its extension */
export async function writeSegmentFile<T>(
  folder: string,
  name: string,
  write: (writer: SegmentWriter) => Promise<T>,
): Promise<T> {
  makeFolder(folder);
  const draft = path.join(folder, `.${name}-${process.pid}.tmp`);
  await rm(draft, { force: true });
  const file = await openAppend(draft);
  try {
    const writer = new SegmentWriter(file);
    const result = await write(writer);
    await writer.finish();
    await file.close();
    await rename(draft, path.join(folder, `${name}${EXTENSION}`));
    return result;
  } catch (error) {
    await file.close();
    await rm(draft, { force: true });
    throw error;
  }
}

export class SegmentWriter {
  readonly #file: AppendFile;
  #segment: Segment | undefined;
  #entries = 0;

  constructor(file: AppendFile) {
    this.#file = file;
  }

  /** Ends the segment before it. */
  begin(segment: Segment): void {
    this.#end();
    this.#segment = segment;
    this.#entries = 0;
    const { run, folder, startedAt, journal } = segment;
    this.#write({ v: 1, run, folder, startedAt, journal });
  }

  /** Adds an entry to a segment, which begins unless it is the current one. */
  add({ state, time, keys }: SentEntry, segment: Segment): void {
    if (this.#segment !== segment) this.begin(segment);
    this.#entries += 1;
    this.#write({ state, time, keys });
  }

  /** Ends the last segment. @throws the system's error if any line could not be written */
  async finish(): Promise<void> {
    this.#end();
    await this.#file.flush();
  }

  #end(): void {
    if (this.#segment !== undefined) this.#write({ end: this.#entries });
  }

  #write(line: object): void {
    // `finish` reports a failure: once a write has failed, all later ones fail.
    this.#file.append(encodeLine(line)).catch(() => undefined);
  }
}

/** Records that a run has sent. */
export interface SentEntry {
  readonly state: 'delivered' | 'unknown';
  /** Milliseconds since 1970. */
  readonly time: number;
  /** Keys of the records (sent-records.ts), as base64. */
  readonly keys: string;
}

export class EntryBuilder {
  readonly #includesUnknown: boolean;
  readonly #onEntry: (entry: SentEntry) => void;
  /** Batches that have an entry as unknown. */
  readonly #unknown = new Set<string>();
  #lastTime = 0;
  #isElsewhere = false;

  /** @param includesUnknown whether records whose outcome is unknown must not be sent again */
  constructor(includesUnknown: boolean, onEntry: (entry: SentEntry) => void) {
    this.#includesUnknown = includesUnknown;
    this.#onEntry = onEntry;
  }

  /** Takes the events of a journal in order, each with its effect ({@link readJournal}). */
  add(event: RunEvent, runState: RunState, changes: readonly BatchChange[]): void {
    if (event.event === 'run.resumed') {
      // They stay unknown until this part of the run settles them.
      this.addInFlight(runState);
      this.#isElsewhere = event.elsewhere === true;
      return;
    }
    if ('time' in event) this.#lastTime = Date.parse(event.time);
    if (event.event !== 'batch.settled') return;
    for (const { batch, to } of changes) {
      if (to === 'unknown') this.#addUnknown(batch);
      const isWhole = event.unaccounted === 0 && (event.receipt?.rejected ?? 0) === 0;
      if (to === 'delivered' && isWhole) this.#add('delivered', batch);
    }
  }

  /** Adds the batches in flight at the end of a journal. For a run that no process works on. */
  addInFlight(runState: RunState): void {
    for (const batch of batchesInFlight(runState.undelivered)) this.#addUnknown(batch);
  }

  #addUnknown(batch: UndeliveredBatch): void {
    if (!this.#includesUnknown || this.#isElsewhere || this.#unknown.has(batch.batch)) return;
    this.#unknown.add(batch.batch);
    this.#add('unknown', batch);
  }

  #add(state: SentEntry['state'], { keys }: UndeliveredBatch): void {
    if (keys !== undefined && !this.#isElsewhere) this.#onEntry({ state, time: this.#lastTime, keys });
  }
}
