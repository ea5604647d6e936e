/**
 * Describes what a zip archive contains: a workbook, a document, or packed files. Reads only the names of entries in the
 * head (PKWARE APPNOTE.TXT, 4.3.7); unpacks nothing.
 */
import { excerptOf } from './utf8-text.ts';

const LOCAL_HEADER = Buffer.from('PK\x03\x04');
const HEADER_BYTES = 30;
const NAME_LENGTH_AT = 26;

/** Entries read from the head. A workbook's sheets are among the first. */
const MAX_ENTRIES = 50;

const SAVE_AS_CSV =
  'Save the sheet as CSV UTF-8 and upload that file. In Excel: File, Save As, "CSV UTF-8 (Comma delimited)"; in LibreOffice: File, Save As, "Text CSV", Unicode (UTF-8); in Google Sheets: File, Download, "Comma-separated values". Each sheet becomes a separate file, with dates as the sheet displays them.';

/** Undefined if the input is not a zip archive. */
export function describeZip(head: Buffer): { readonly name: string; readonly hint: string } | undefined {
  if (!head.subarray(0, LOCAL_HEADER.length).equals(LOCAL_HEADER)) return undefined;
  const names = entriesOf(head);
  const some = (pattern: RegExp): boolean => names.some((name) => pattern.test(name));
  if (some(/^xl\//)) return { name: 'an Excel workbook (.xlsx)', hint: SAVE_AS_CSV };
  if (head.includes('application/vnd.oasis.opendocument.spreadsheet')) {
    return { name: 'an OpenDocument spreadsheet (.ods)', hint: SAVE_AS_CSV };
  }
  if (some(/^Index\/.*\.iwa$/)) return { name: 'an Apple Numbers or Pages document', hint: SAVE_AS_CSV };
  if (some(/^word\//))
    return { name: 'a Word document (.docx)', hint: 'Save the table in it as a CSV file and upload that.' };
  const table = names.find((name) => /\.(?:csv|tsv|txt|json|ndjson|jsonl)$/i.test(name));
  return table === undefined
    ? {
        name: 'a zip archive or an Office document',
        hint: `Unpack it, and upload the files in it. ${SAVE_AS_CSV}`,
      }
    : {
        name: `a zip archive that contains '${excerptOf(table)}'`,
        hint: 'Unpack it (`unzip FILE.zip`), and upload the files in it. Files compressed with gzip need no unpacking.',
      };
}

/** The names of the entries whose local headers are in the head. */
function entriesOf(head: Buffer): readonly string[] {
  const names: string[] = [];
  for (let at = 0; at >= 0 && names.length < MAX_ENTRIES; at = head.indexOf(LOCAL_HEADER, at + 1)) {
    if (at + HEADER_BYTES > head.length) break;
    const begin = at + HEADER_BYTES;
    names.push(head.toString('latin1', begin, begin + head.readUInt16LE(at + NAME_LENGTH_AT)));
  }
  return names;
}
