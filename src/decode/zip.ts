/**
 * What a zip archive is, for whoever dragged it in: a workbook, a document, or files that were packed together. Only
 * names of entries in the head are looked at (APPNOTE.TXT of PKWARE, 4.3.7); nothing is unpacked.
 */
import { excerptOf } from './utf8-text.ts';

const LOCAL_HEADER = Buffer.from('PK\x03\x04');
const HEADER_BYTES = 30;
const NAME_LENGTH_AT = 26;

/** Entries that are looked for in the head; a workbook's sheets stand among the first ones. */
const ENTRIES = 50;

const SAVE_AS_CSV =
  'Save the sheet as CSV UTF-8 and upload that file. In Excel: File, Save As, "CSV UTF-8 (Comma delimited)"; in LibreOffice: File, Save As, "Text CSV", Unicode (UTF-8); in Google Sheets: File, Download, "Comma-separated values". Each sheet is a file of its own, and dates come as the sheet shows them.';

/** Undefined for what is no zip archive. */
export function describeZip(head: Buffer): { readonly name: string; readonly hint: string } | undefined {
  if (!head.subarray(0, LOCAL_HEADER.length).equals(LOCAL_HEADER)) return undefined;
  const names = entriesOf(head);
  const some = (pattern: RegExp): boolean => names.some((name) => pattern.test(name));
  if (some(/^xl\//)) return { name: 'an Excel workbook (.xlsx)', hint: SAVE_AS_CSV };
  if (head.includes('application/vnd.oasis.opendocument.spreadsheet')) {
    return { name: 'an OpenDocument spreadsheet (.ods)', hint: SAVE_AS_CSV };
  }
  if (some(/^Index\/.*\.iwa$/)) return { name: 'a Numbers or Pages document of Apple', hint: SAVE_AS_CSV };
  if (some(/^word\//))
    return { name: 'a Word document (.docx)', hint: 'Upload the table that is in it as a CSV file.' };
  const table = names.find((name) => /\.(?:csv|tsv|txt|json|ndjson|jsonl)$/i.test(name));
  return table === undefined
    ? {
        name: 'a zip archive or an Office document',
        hint: `Unpack it, and upload what is in it. ${SAVE_AS_CSV}`,
      }
    : {
        name: `a zip archive with '${excerptOf(table)}' in it`,
        hint: 'Unpack it (`unzip FILE.zip`), and upload what is in it. Packed with gzip it could be uploaded as it is.',
      };
}

/** Names of the entries whose local headers are in the head. */
function entriesOf(head: Buffer): readonly string[] {
  const names: string[] = [];
  for (let at = 0; at >= 0 && names.length < ENTRIES; at = head.indexOf(LOCAL_HEADER, at + 1)) {
    if (at + HEADER_BYTES > head.length) break;
    const begin = at + HEADER_BYTES;
    names.push(head.toString('latin1', begin, begin + head.readUInt16LE(at + NAME_LENGTH_AT)));
  }
  return names;
}
