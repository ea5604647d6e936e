// @ts-check
/**
 * The worker thread of parquet.ts: reads the metadata and rows of a Parquet file with hyparquet, which may never return for a
 * damaged file. JavaScript, because a worker cannot load TypeScript in Node 20; it is an entry of the bundle.
 */
import { read } from 'node:fs';
import { promisify } from 'node:util';
import { parentPort, workerData } from 'node:worker_threads';
import { parquetMetadataAsync, parquetRead, parquetSchema } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';

/** @typedef {{ readonly fd: number, readonly size: number }} ThreadData the file, which stays open, and its bytes */
/** @typedef {{ readonly group: number, readonly rowStart: number, readonly rowEnd: number }} Range rows of a row group */

const { fd, size } = /** @type {ThreadData} */ (workerData);
const readBytes = promisify(read);

/**
 * The parts of a row group that were read: each range of its rows needs the same columns.
 *
 * @type {Map<string, Promise<ArrayBuffer>>}
 */
const parts = new Map();
let partsOf = 0;

/** @type {import('hyparquet').AsyncBuffer} */
const file = {
  byteLength: size,
  slice(start, end = size) {
    const key = `${start}-${end}`;
    const part = parts.get(key) ?? readPart(start, end);
    // hyparquet requests parts before it needs them, and may fail before it awaits them.
    part.catch(() => undefined);
    parts.set(key, part);
    return part;
  },
};

/** @type {import('hyparquet').FileMetaData} */
let metadata;

parentPort?.on('message', async (/** @type {import('hyparquet').FileMetaData | Range | undefined} */ message) => {
  try {
    if (message === undefined) parentPort?.postMessage({ value: await readSchema() });
    else if ('schema' in message) metadata = message;
    else parentPort?.postMessage({ value: await readRows(message) });
  } catch (error) {
    parentPort?.postMessage({ error });
  }
});

async function readSchema() {
  const read = await parquetMetadataAsync(file);
  return { metadata: read, schema: parquetSchema(read) };
}

/**
 * @param {Range} range
 * @returns {Promise<unknown[][]>}
 */
function readRows({ group, rowStart, rowEnd }) {
  if (group !== partsOf) parts.clear();
  partsOf = group;
  return new Promise((resolve, reject) => {
    parquetRead({
      file,
      metadata,
      compressors,
      rowStart,
      rowEnd,
      utf8: false,
      parsers: { timestampFromNanoseconds: (nanoseconds) => nanoseconds },
      onComplete: (rows) => resolve(/** @type {unknown[][]} */ (rows)),
    }).catch(reject);
  });
}

/**
 * @param {number} start
 * @param {number} end
 */
async function readPart(start, end) {
  if (!(start >= 0 && start <= end && end <= size)) {
    throw new Error(`it refers to bytes ${start} to ${end} of ${size}`);
  }
  const memory = new Uint8Array(end - start);
  for (let at = 0; at < memory.byteLength; ) {
    const { bytesRead } = await readBytes(fd, memory, at, memory.byteLength - at, start + at);
    if (bytesRead === 0) throw new Error('it became shorter while it was read');
    at += bytesRead;
  }
  return memory.buffer;
}
