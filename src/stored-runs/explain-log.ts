/**
 * `explain.ndjson`: the journal of `runs explain`. It has every request with its answer, and the rows that were added to
 * the rejects files, so that a second explain sends nothing twice and lists nothing twice.
 */
import { stat, truncate } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { openAppend } from '../journal/append-file.ts';
import { isMissing } from '../journal/file-system.ts';
import { decodeLine, encodeLine, linesIfExists } from '../journal/lines.ts';
import { once } from '../lib/resources.ts';
import { type RunEvent, runEvents } from '../model/event.ts';
import type { Receipt } from '../model/outcome.ts';
import type { Data } from '../model/row.ts';

const NAME = 'explain.ndjson';

const namedRow = z.object({ batch: z.string(), source: z.int(), row: z.int(), line: z.int() });

export type NamedRow = Data<typeof namedRow>;

/** Rows are about to be added to the rejects files. */
const rejectsListing = z.object({
  event: z.literal('rejects.listing'),
  time: z.string(),
  /** Batches that are examined to the end. */
  batches: z.array(z.string()),
  rows: z.array(namedRow),
  /** Files of these rows and their sizes before, in bytes. */
  files: z.record(z.string(), z.int()),
});

type RejectsListing = Data<typeof rejectsListing>;

/** The rows of the last {@link RejectsListing} were added. */
const rejectsListed = z.object({ event: z.literal('rejects.listed'), time: z.string() });

export type ExplainEvent = RunEvent | RejectsListing | Data<typeof rejectsListed>;

const eventSchema = once(() => z.discriminatedUnion('event', [...runEvents(), rejectsListing, rejectsListed]));

export interface Explained {
  /** Receipts of the parts that were sent, by id. */
  readonly answers: Map<string, Receipt>;
  /** Batches that are examined to the end. */
  readonly batches: ReadonlySet<string>;
  readonly rows: readonly NamedRow[];
  /** The process was killed while it added rows to these files: their sizes before that. */
  readonly sizesBefore: Readonly<Record<string, number>>;
  /** Length of the whole lines, in bytes. */
  readonly bytes: number;
}

/** Empty if the run was never explained. @param folder path of the run folder */
export async function readExplained(folder: string): Promise<Explained> {
  const answers = new Map<string, Receipt>();
  const batches = new Set<string>();
  const rows: NamedRow[] = [];
  let listing: RejectsListing | undefined;
  let bytes = 0;
  for await (const { text, whole } of linesIfExists(path.join(folder, NAME))) {
    const event = whole ? eventSchema().safeParse(decodeLine(text)).data : undefined;
    // What follows a damaged line is found out again.
    if (event === undefined) break;
    bytes += Buffer.byteLength(text) + 1;
    if (event.event === 'batch.settled' && event.receipt !== undefined) answers.set(event.batch, event.receipt);
    if (event.event === 'rejects.listing') listing = event;
    if (event.event !== 'rejects.listed' || listing === undefined) continue;
    for (const batch of listing.batches) batches.add(batch);
    rows.push(...listing.rows);
    listing = undefined;
  }
  return { answers, batches, rows, sizesBefore: listing?.files ?? {}, bytes };
}

export interface ExplainLog {
  append(event: ExplainEvent): Promise<void>;
  sizes(names: Iterable<string>): Promise<Readonly<Record<string, number>>>;
  close(): Promise<void>;
}

/** Opens the journal to continue it, and removes rows that a killed process has added without the end of its listing. */
export async function openExplainLog(
  folder: string,
  { bytes, sizesBefore }: Explained,
  options: { readonly fsync: boolean },
): Promise<ExplainLog> {
  for (const [name, size] of Object.entries(sizesBefore)) {
    if ((await sizeOf(folder, name)) > size) await truncate(rejectsFile(folder, name), size);
  }
  const file = await openAppend(path.join(folder, NAME), options);
  await file.truncate(bytes);
  return {
    append: (event) => file.append(encodeLine(event)),
    async sizes(names) {
      const sizes: Record<string, number> = {};
      for (const name of names) sizes[name] = await sizeOf(folder, name);
      return sizes;
    },
    close: () => file.close(),
  };
}

/** Only the name counts: the journal may come from another person. */
function rejectsFile(folder: string, name: string): string {
  return path.join(folder, 'rejects', path.basename(name));
}

async function sizeOf(folder: string, name: string): Promise<number> {
  try {
    return (await stat(rejectsFile(folder, name))).size;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}
