/** Inputs that are workbooks: reads a sheet of them as text. */
import type { FileHandle } from 'node:fs/promises';
import { ProblemError } from '../model/problem.ts';
import { type ByteReader, checkSize, stream } from './byte-reader.ts';
import { openTemporaryFile, temporaryFileProblem } from './temporary-file.ts';

const ZIP = Buffer.from('PK\x03\x04');

interface SheetRequest {
  /** Absent for the copy of a pipe. */
  readonly size?: number | undefined;
  readonly sheet: string | undefined;
}

/**
 * A sheet of the workbook in a file. Undefined if the file is no workbook. The reader closes the file.
 *
 * @param first the first bytes of the file
 * @throws ProblemError as openWorkbook and openZip
 */
export async function openTable(
  first: Buffer,
  name: string,
  file: FileHandle,
  { size, sheet }: SheetRequest,
): Promise<ByteReader | undefined> {
  if (!first.subarray(0, ZIP.length).equals(ZIP)) return undefined;
  const [{ openZip }, { openWorkbook }] = await Promise.all([import('./zip.ts'), import('./workbook/index.ts')]);
  const opened = await openWorkbook(name, await openZip(name, file), sheet);
  if (opened === undefined) return undefined;
  const { table, text } = opened;
  let isEmpty = true;
  return {
    name: `${name}:${table.sheet}`,
    path: size === undefined ? undefined : name,
    size,
    table,
    async read() {
      const next = await text.next();
      if (next.done === true && isEmpty) throw emptySheet(name, table.sheet);
      isEmpty = false;
      return next.done === true ? undefined : next.value;
    },
    checkSize: async () => (size === undefined ? undefined : checkSize(name, file, size)),
    async close() {
      await opened.close();
      await file.close();
    },
  };
}

/**
 * If a pipe sends a workbook, a reader of its sheet: the directory of an archive is at its end, so the pipe is copied to a
 * temporary file first. Otherwise a reader of the same bytes.
 */
export async function withTable(reader: ByteReader, sheet: string | undefined): Promise<ByteReader> {
  const held: Buffer[] = [];
  const pull = async (): Promise<Buffer | undefined> => {
    const chunk = await reader.read();
    if (chunk !== undefined) held.push(chunk);
    return chunk;
  };
  try {
    while (Buffer.concat(held).length < ZIP.length && (await pull()) !== undefined);
    const first = Buffer.concat(held);
    const unread = { ...reader, read: async () => held.shift() ?? reader.read() };
    if (!first.subarray(0, ZIP.length).equals(ZIP)) return unread;
    const file = await openTemporaryFile();
    try {
      for (let chunk = held.shift(); chunk !== undefined; chunk = held.shift() ?? (await reader.read())) {
        await file.appendFile(chunk).catch((error: unknown) => {
          throw temporaryFileProblem(error);
        });
      }
      const table = await openTable(first, reader.name, file, { sheet });
      if (table !== undefined) return table;
      return stream(reader.name, file.createReadStream({ start: 0 }));
    } catch (error) {
      await file.close();
      throw error;
    }
  } catch (error) {
    await reader.close();
    throw error;
  }
}

function emptySheet(name: string, sheet: string): ProblemError {
  return new ProblemError({
    code: 'input.empty',
    message: `The sheet "${sheet}" of '${name}' has no rows.`,
    where: `${name}:${sheet}`,
    hint: 'Name another sheet with --sheet.',
  });
}
