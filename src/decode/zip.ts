/**
 * Describes what a zip archive contains: a workbook, a document, or packed files. Reads only the names of entries in the
 * head (PKWARE APPNOTE.TXT, 4.3.7); unpacks nothing.
 */
import { excerpt } from '../lib/excerpt.ts';

const SAVE_AS_CSV =
  'Save the sheet as CSV UTF-8 and upload that file. In Excel: File, Save As, "CSV UTF-8 (Comma delimited)"; in LibreOffice: File, Save As, "Text CSV", Unicode (UTF-8); in Google Sheets: File, Download, "Comma-separated values". Each sheet becomes a separate file, with dates as the sheet displays them.';

/** Undefined if the input is not a zip archive. */
export function describeZip(head: Buffer): { readonly name: string; readonly hint: string } | undefined {
  const bytes = head.toString('latin1');
  if (!bytes.startsWith('PK\x03\x04')) return undefined;
  /** Finds an entry by its name, which follows 30 bytes of its local header. */
  const entry = (name: string): RegExpExecArray | null => new RegExp(`PK\x03\x04[^]{26}(${name})`, 'i').exec(bytes);
  if (entry('xl/')) return { name: 'an Excel workbook (.xlsx)', hint: SAVE_AS_CSV };
  if (bytes.includes('application/vnd.oasis.opendocument.spreadsheet')) {
    return { name: 'an OpenDocument spreadsheet (.ods)', hint: SAVE_AS_CSV };
  }
  if (entry('Index/[^\0-\x1f]*\\.iwa')) return { name: 'an Apple Numbers or Pages document', hint: SAVE_AS_CSV };
  if (entry('word/')) {
    return { name: 'a Word document (.docx)', hint: 'Save the table in it as a CSV file and upload that.' };
  }
  const table = entry('[^\0-\x1f]{0,250}?\\.(?:csv|tsv|txt|ndjson|jsonl|json)')?.[1];
  return table === undefined
    ? {
        name: 'a zip archive or an Office document',
        hint: `Unpack it, and upload the files in it. ${SAVE_AS_CSV}`,
      }
    : {
        name: `a zip archive that contains '${excerpt(table)}'`,
        hint: 'Unpack it (`unzip FILE.zip`), and upload the files in it. Files compressed with gzip need no unpacking.',
      };
}
