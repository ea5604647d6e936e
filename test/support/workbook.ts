/** Workbooks for tests, as small as the standard allows. */
import { type ZipPart, zipOf } from './zip.ts';

/** A text, a number, or the XML of the element `c`. */
export type CellOf = string | number | { readonly xml: string };

export interface SheetOf {
  readonly name: string;
  readonly hidden?: boolean;
  readonly rows?: readonly (readonly CellOf[])[];
  /** The XML of the rows, instead. */
  readonly xml?: string;
}

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006/relationships';

/** An error such as `#N/A`. */
export function errorCell(error: string): CellOf {
  return { xml: `<c t="e"><v>${error}</v></c>` };
}

export function workbookOf(sheets: readonly SheetOf[]): Buffer {
  return zipOf(workbookParts(sheets));
}

export function workbookParts(sheets: readonly SheetOf[]): readonly ZipPart[] {
  const list = sheets.map(
    ({ name, hidden }, index) =>
      `<sheet name="${name}" sheetId="${index + 1}" r:id="rId${index + 1}"${hidden === true ? ' state="hidden"' : ''}/>`,
  );
  const targets = sheets.map(
    (_, index) =>
      `<Relationship Id="rId${index + 1}" Type="${OFFICE}/worksheet" Target="worksheets/sheet${index + 1}.xml"/>`,
  );
  return [
    {
      path: '_rels/.rels',
      bytes: `<Relationships xmlns="${PACKAGE}"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    },
    {
      path: 'xl/workbook.xml',
      bytes: `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${list.join('')}</sheets></workbook>`,
    },
    {
      path: 'xl/_rels/workbook.xml.rels',
      bytes: `<Relationships xmlns="${PACKAGE}">${targets.join('')}</Relationships>`,
    },
    ...sheets.map(({ rows = [], xml = rows.map(rowXml).join('') }, index) => ({
      path: `xl/worksheets/sheet${index + 1}.xml`,
      bytes: `<worksheet xmlns="${MAIN}"><sheetData>${xml}</sheetData></worksheet>`,
    })),
  ];
}

function rowXml(cells: readonly CellOf[]): string {
  return `<row>${cells.map(cellXml).join('')}</row>`;
}

function cellXml(cell: CellOf): string {
  if (typeof cell === 'object') return cell.xml;
  if (typeof cell === 'number') return `<c><v>${cell}</v></c>`;
  return `<c t="inlineStr"><is><t>${cell.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</t></is></c>`;
}
