/**
 * Workbooks of Excel (.xlsx, .xlsm: ECMA-376). A workbook becomes the text of one of its sheets (sheet-rows.ts), so that
 * the rest of the program reads it like any other text. Streamed: memory does not grow with the rows.
 */
import { printable } from '../../lib/printable.ts';
import type { SheetTable } from '../../model/input-format.ts';
import { ProblemError } from '../../model/problem.ts';
import { damagedArchive, type ZipArchive } from '../zip.ts';
import { findParts, type Sheet } from './parts.ts';
import { readSharedStrings } from './shared-strings.ts';
import { type SheetContext, SheetRows } from './sheet-rows.ts';
import { readStyles } from './styles.ts';
import { readXml, XmlError } from './xml.ts';

export interface OpenSheet {
  readonly table: SheetTable;
  /** The text of the sheet. Can be read once. */
  readonly text: AsyncGenerator<string>;
  close(): Promise<void>;
}

/**
 * Opens a sheet of a workbook. Undefined if the archive is no workbook.
 *
 * @param wanted name of a sheet, or its number from 1; default: the first visible sheet that has a table
 * @throws ProblemError `option.sheet`, `input.empty`, `input.binary`, `input.failed`
 */
export async function openWorkbook(
  name: string,
  archive: ZipArchive,
  wanted: string | undefined,
): Promise<OpenSheet | undefined> {
  try {
    const parts = await findParts(archive);
    if (parts === undefined) return undefined;
    if (parts === 'binary') throw binaryProblem(name);
    const named = wanted === undefined ? undefined : findSheet(name, parts.sheets, wanted);
    const styles = parts.styles === undefined ? [] : await readStyles(archive.read(parts.styles));
    const strings = parts.strings && (await readSharedStrings(archive.read(parts.strings)));
    const context = { strings, styles, is1904: parts.is1904 };
    try {
      const sheet = named ?? (await findTable(name, archive, parts.sheets, context));
      const otherSheets = parts.sheets.filter((each) => each !== sheet);
      return {
        table: {
          format: 'xlsx',
          sheet: sheet.name,
          otherSheets: otherSheets.map(({ name: other, hidden }) => ({ name: other, hidden })),
        },
        text: sheetText(name, archive, sheet, context),
        close: async () => strings?.close(),
      };
    } catch (error) {
      await strings?.close();
      throw error;
    }
  } catch (error) {
    throw error instanceof XmlError ? damagedArchive(name, error.message) : error;
  }
}

async function* sheetText(...sheet: Parameters<typeof readSheet>): AsyncGenerator<string> {
  for await (const rows of readSheet(...sheet)) {
    const lines = rows.take();
    if (lines !== '') yield lines;
  }
}

/** Yields the rows that it reads into, after each chunk of the sheet. */
async function* readSheet(
  name: string,
  archive: ZipArchive,
  sheet: Sheet,
  context: SheetContext,
): AsyncGenerator<SheetRows> {
  const rows = new SheetRows(context);
  try {
    for await (const _chunk of readXml(archive.read(sheet.member), rows)) yield rows;
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    throw damagedArchive(`${name}:${sheet.name}:${rows.row}`, error.message);
  }
}

/** A sheet by its name, also in other letters, or by its number. A name goes before a number. */
function findSheet(name: string, sheets: readonly Sheet[], wanted: string): Sheet {
  const found =
    sheets.find((sheet) => sheet.name === wanted) ??
    sheets.find((sheet) => sheet.name.toLowerCase() === wanted.toLowerCase()) ??
    (/^\d+$/.test(wanted) ? sheets[Number(wanted) - 1] : undefined);
  if (found !== undefined) return found;
  const list = sheets.map((sheet, index) => `${index + 1} ${titleOf(sheet)}`).join(', ');
  throw new ProblemError({
    code: 'option.sheet',
    message: `'${name}' has no sheet "${printable(wanted)}". Its sheets are ${list}.`,
    where: name,
    hint: 'Pass one of these names or numbers with --sheet.',
  });
}

function titleOf({ name, hidden }: Pick<Sheet, 'name' | 'hidden'>): string {
  return `"${name}"${hidden ? ' (hidden)' : ''}`;
}

/** Rows in which a table must begin. */
const SEARCHED_ROWS = 1000;

/** The first visible sheet with two values in a row; if none has, the first with a value: a list. */
async function findTable(
  name: string,
  archive: ZipArchive,
  sheets: readonly Sheet[],
  context: SheetContext,
): Promise<Sheet> {
  let list: Sheet | undefined;
  for (const sheet of sheets.filter(({ hidden }) => !hidden)) {
    const widest = await widestRow(name, archive, sheet, context);
    if (widest > 1) return sheet;
    if (widest === 1) list ??= sheet;
  }
  if (list !== undefined) return list;
  throw new ProblemError({
    code: 'input.empty',
    message: `'${name}' has no visible sheet with rows. Its sheets are ${sheets.map(titleOf).join(', ')}.`,
    where: name,
    hint: `Check that the export has finished.${sheets.some(({ hidden }) => hidden) ? ' To read a hidden sheet, name it with --sheet.' : ''}`,
  });
}

/** The most values that a row at the beginning of a sheet has; not more than two are counted. */
async function widestRow(...sheet: Parameters<typeof readSheet>): Promise<number> {
  let widest = 0;
  for await (const rows of readSheet(...sheet)) {
    rows.take();
    widest = rows.widest;
    if (widest > 1 || rows.row > SEARCHED_ROWS) break;
  }
  return widest;
}

function binaryProblem(name: string): ProblemError {
  return new ProblemError({
    code: 'input.binary',
    message: `'${name}' is a binary Excel workbook (.xlsb), which cannot be read.`,
    where: name,
    hint: 'Open it in Excel, save it as an Excel workbook (.xlsx), and upload that file.',
  });
}
