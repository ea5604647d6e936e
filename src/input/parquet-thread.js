// @ts-check
/**
 * The worker thread of parquet.ts: reads the metadata and rows of a Parquet file with hyparquet, which may never return for a
 * damaged file. JavaScript, because a worker cannot load TypeScript in Node 20; it is an entry of the bundle.
 */
import { isUtf8 } from 'node:buffer';
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

parentPort?.on('message', async (/** @type {Range | undefined} */ message) => {
  try {
    parentPort?.postMessage({ value: message === undefined ? await readSchema() : await readRows(message) });
  } catch (error) {
    parentPort?.postMessage({ error });
  }
});

async function readSchema() {
  const read = await parquetMetadataAsync(file);
  // hyparquet would make doubles of decimals.
  const schema = read.schema.map(({ converted_type: type, ...stored }) =>
    type === undefined || type === 'DECIMAL' ? stored : { ...stored, converted_type: type },
  );
  metadata = { ...read, schema };
  return { metadata: read, schema: parquetSchema(read) };
}

/**
 * parquet.ts writes dates and times, by the types of the schema.
 *
 * @template T
 * @param {T} value
 */
function asStored(value) {
  return value;
}

/**
 * Bytes that are not UTF-8 stay bytes.
 *
 * @param {Uint8Array} bytes
 */
function textOrBytes(bytes) {
  return isUtf8(bytes) ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString() : bytes;
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
      parsers: {
        timestampFromMilliseconds: asStored,
        timestampFromMicroseconds: asStored,
        timestampFromNanoseconds: asStored,
        dateFromDays: asStored,
        stringFromBytes: textOrBytes,
        jsonFromBytes: textOrBytes,
      },
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
