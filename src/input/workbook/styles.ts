/** Which cell styles show a number as a date. Excel stores dates as numbers; only the format tells. */
import { type Attributes, attribute, readWholeXml } from './xml.ts';

/** `time`: of a day, without a date. `date-time`: always both. */
export type DateKind = 'date' | 'time' | 'date-time';

/** By the index of a cell's style. Undefined if the style does not show a date. */
export type CellStyles = readonly (DateKind | undefined)[];

/** A workbook has at most 65,490 styles. */
const MAX_STYLES = 2 ** 20;

/**
 * The formats that have no code in the file (ECMA-376-1, 18.8.30). What 27 to 36 and 50 to 58 show depends on the
 * language, but they are always dates and times.
 */
function builtIn(id: number): DateKind | undefined {
  if ((id >= 14 && id <= 17) || (id >= 27 && id <= 31) || id === 36 || (id >= 50 && id <= 58)) return 'date';
  if ((id >= 18 && id <= 21) || (id >= 32 && id <= 35) || id === 45 || id === 47) return 'time';
  return id === 22 ? 'date-time' : undefined;
}

export async function readStyles(bytes: AsyncIterable<Buffer>): Promise<CellStyles> {
  const formats = new Map<number, DateKind | undefined>();
  const styles: (DateKind | undefined)[] = [];
  let isInCellFormats = false;
  await readWholeXml(bytes, {
    open(name, attributes) {
      if (name === 'cellXfs') isInCellFormats = true;
      else if (name === 'numFmt') {
        formats.set(formatId(attributes), kindOfFormat(attribute(attributes, 'formatCode') ?? ''));
      } else if (name === 'xf' && isInCellFormats && styles.length < MAX_STYLES) {
        const id = formatId(attributes);
        styles.push(formats.has(id) ? formats.get(id) : builtIn(id));
      }
    },
    close(name) {
      if (name === 'cellXfs') isInCellFormats = false;
    },
  });
  return styles;
}

function formatId(attributes: Attributes): number {
  return Number(attribute(attributes, 'numFmtId') ?? 0);
}

/** What a format code says literally: quoted text, escaped characters, padding, fill, and the words for no format. */
const LITERALS = /"[^"]*"|[\\_*].|General|Standard/gi;

/**
 * What a number format shows: `yyyy-mm-dd` a date, `h:mm` a time. Elapsed time (`[h]:mm`) is a number of days, not a time
 * of a day.
 */
export function kindOfFormat(code: string): DateKind | undefined {
  const [first = ''] = code.replace(LITERALS, '').split(';');
  if (/\[(?:h+|m+|s+)\]/i.test(first)) return undefined;
  // In brackets: colours, conditions, languages, currencies. After E: an exponent.
  const letters = first.replace(/\[[^\]]*\]|E[+-]/gi, '').toLowerCase();
  const hasTime = /[hs]|a\/p|am\/pm/.test(letters);
  const hasDate = /[ydgeb]|mmm/.test(letters) || (!hasTime && letters.includes('m'));
  if (hasDate) return hasTime ? 'date-time' : 'date';
  return hasTime ? 'time' : undefined;
}
