/** Workbooks of Excel (ECMA-376) as the text of one of its sheets. Memory does not grow with the rows. */
import path from 'node:path';
import { printable } from '../lib/printable.ts';
import type { SheetTable } from '../model/input-format.ts';
import { ProblemError } from '../model/problem.ts';
import { readSharedStrings } from './shared-strings.ts';
import { readStyles, type SheetContext, SheetRows } from './sheet-rows.ts';
import { type Attributes, attribute, readWholeXml, readXml, XmlError } from './xml.ts';
import { damagedArchive, type ZipArchive, type ZipMember } from './zip.ts';

export interface OpenSheet {
  readonly table: SheetTable;
  readonly text: AsyncGenerator<string>;
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
    const parts = await findParts(name, archive);
    if (parts === undefined) return undefined;
    const named = wanted === undefined ? undefined : findSheet(name, parts.sheets, wanted);
    const styles = parts.styles === undefined ? [] : await readStyles(archive.read(parts.styles));
    const strings = parts.strings && (await readSharedStrings(archive.read(parts.strings)));
    const context = { strings, styles, is1904: parts.is1904 };
    const read = (sheet: Sheet) => readSheet(`${name}:${sheet.name}`, archive.read(sheet.member), context);
    const sheet = named ?? (await findTable(name, parts.sheets, read));
    const others = parts.sheets.filter((each) => each !== sheet);
    const otherSheets = others.map(({ name: other, hidden }) => ({ name: other, hidden }));
    return { table: { format: 'xlsx', sheet: sheet.name, otherSheets }, text: textOf(read(sheet)) };
  } catch (error) {
    throw error instanceof XmlError ? damagedArchive(name, error.message) : error;
  }
}

async function* textOf(sheet: AsyncIterable<SheetRows>): AsyncGenerator<string> {
  for await (const rows of sheet) {
    const lines = rows.take();
    if (lines !== '') yield lines;
  }
}

/** Yields the rows that it reads into, after each chunk of the sheet. */
async function* readSheet(
  place: string,
  bytes: AsyncIterable<Buffer>,
  context: SheetContext,
): AsyncGenerator<SheetRows> {
  const rows = new SheetRows(context);
  try {
    for await (const _chunk of readXml(bytes, rows)) yield rows;
  } catch (error) {
    throw error instanceof XmlError ? damagedArchive(`${place}:${rows.row}`, error.message) : error;
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

const SEARCHED_ROWS = 1000;

/** The first visible sheet with two values in a row; if none has, the first with a value: a list. */
async function findTable(
  name: string,
  sheets: readonly Sheet[],
  read: (sheet: Sheet) => AsyncIterable<SheetRows>,
): Promise<Sheet> {
  let list: Sheet | undefined;
  for (const sheet of sheets.filter(({ hidden }) => !hidden)) {
    let widest = 0;
    for await (const rows of read(sheet)) {
      rows.take();
      widest = rows.widest;
      if (widest > 1 || rows.row > SEARCHED_ROWS) break;
    }
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

interface Sheet {
  readonly name: string;
  readonly hidden: boolean;
  readonly member: ZipMember;
}

interface WorkbookParts {
  /** In the order of the tabs. Sheets of charts are left out. */
  readonly sheets: readonly Sheet[];
  readonly styles: ZipMember | undefined;
  readonly strings: ZipMember | undefined;
  /** Whether day 0 is in 1904, as on old Macintoshes. */
  readonly is1904: boolean;
}

interface Relationship {
  readonly type: string;
  readonly target: string;
}

const USUAL_MAIN = 'xl/workbook.xml';

type Relationships = ReadonlyMap<string, Relationship>;

/** Undefined if the archive is no workbook. @throws XmlError if a part is missing or damaged, and what the archive throws */
async function findParts(name: string, archive: ZipArchive): Promise<WorkbookParts | undefined> {
  const members = new Map(archive.members.map((member) => [member.path.toLowerCase(), member]));
  const memberAt = (target: string): ZipMember | undefined => members.get(target.toLowerCase());
  const root = await readRelationships(archive, memberAt, '');
  const main = [...root.values()].find(({ type }) => type.endsWith('/officeDocument'))?.target ?? USUAL_MAIN;
  if (root.size === 0 && memberAt(main) === undefined) return undefined;
  if (main.toLowerCase().endsWith('.bin')) {
    throw new ProblemError({
      code: 'input.binary',
      message: `'${name}' is a binary Excel workbook (.xlsb), which cannot be read.`,
      where: name,
      hint: 'Open it in Excel, save it as an Excel workbook (.xlsx), and upload that file.',
    });
  }
  const workbook = await readWorkbook(archive, memberAt(main));
  if (workbook === undefined) return undefined;
  const relationships = await readRelationships(archive, memberAt, main);
  const partOf = (type: string): ZipMember | undefined => {
    const found = [...relationships.values()].find((each) => each.type.endsWith(`/${type}`));
    return found && memberAt(found.target);
  };
  return {
    sheets: workbook.sheets.flatMap(({ id, ...sheet }) => {
      const relationship = relationships.get(id);
      if (relationship !== undefined && !relationship.type.endsWith('/worksheet')) return [];
      const member = relationship && memberAt(relationship.target);
      if (member === undefined) throw new XmlError(`the part of its sheet "${sheet.name}" is missing`);
      return { ...sheet, member };
    }),
    styles: partOf('styles'),
    strings: partOf('sharedStrings'),
    is1904: workbook.is1904,
  };
}

/** The relationships of a part. @param part its path; empty for the archive itself */
async function readRelationships(
  archive: ZipArchive,
  memberAt: (target: string) => ZipMember | undefined,
  part: string,
): Promise<Relationships> {
  const folder = path.posix.dirname(part);
  const member = memberAt(path.posix.join(folder, '_rels', `${path.posix.basename(part)}.rels`));
  const relationships = new Map<string, Relationship>();
  if (member === undefined) return relationships;
  await readWholeXml(archive.read(member), {
    open(name, attributes) {
      const id = attribute(attributes, 'Id');
      const target = attribute(attributes, 'Target');
      if (name !== 'Relationship' || id === undefined || target === undefined) return;
      if (attribute(attributes, 'TargetMode') === 'External') return;
      const absolute = target.startsWith('/') ? target : path.posix.join('/', folder, target);
      relationships.set(id, { type: attribute(attributes, 'Type') ?? '', target: absolute.slice(1) });
    },
  });
  return relationships;
}

async function readWorkbook(archive: ZipArchive, member: ZipMember | undefined) {
  if (member === undefined) throw new XmlError('its main part is missing');
  let root: string | undefined;
  let is1904 = false;
  const sheets: { readonly name: string; readonly hidden: boolean; readonly id: string }[] = [];
  await readWholeXml(archive.read(member), {
    open(name, attributes) {
      root ??= name;
      if (name === 'workbookPr') is1904 = ['1', 'true'].includes(attribute(attributes, 'date1904') ?? '');
      else if (name === 'sheet') {
        const hidden = (attribute(attributes, 'state') ?? 'visible') !== 'visible';
        sheets.push({ name: attribute(attributes, 'name') ?? '', hidden, id: relationshipId(attributes) });
      }
    },
  });
  return root === 'workbook' ? { sheets, is1904 } : undefined;
}

/** `r:id`, with whatever prefix the part has chosen for the namespace. */
function relationshipId(attributes: Attributes): string {
  const name = Object.keys(attributes).find((each) => each.endsWith(':id'));
  return (name && attribute(attributes, name)) ?? '';
}
