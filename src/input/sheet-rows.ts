/**
 * A sheet as text: one JSON array of cells for each of its rows, on the line of that number. A row without values is an
 * empty line, so that a line number is a row number. A cell is a string; an error is `["#N/A"]`, and a formula without a
 * calculated value is `["=A1+B1"]`. A number is what Excel would show of it, and a date is ISO 8601: Excel stores
 * dates as numbers, and only the style of the cell tells.
 */
import { DAY_MS } from '../lib/units.ts';
import { type SharedStrings, TextCollector } from './shared-strings.ts';
import { type Attributes, attribute, readWholeXml, unescapeText, XmlError, type XmlHandler } from './xml.ts';

/** Limits of Excel. */
const MAX_ROW = 1_048_576;
const MAX_COLUMN = 16_384;

/** Characters. `max_row_bytes` limits what is used. */
const MAX_ROW_TEXT = 2 ** 24;

export interface SheetContext {
  readonly strings: SharedStrings | undefined;
  readonly styles: CellStyles;
  readonly is1904: boolean;
}

export class SheetRows implements XmlHandler {
  row = 0;
  widest = 0;
  readonly #context: SheetContext;
  readonly #inline = new TextCollector();
  #isInData = false;
  #lines = '';
  #nextLine = 1;
  /** JSON of the row's cells, up to the last that has a value. */
  #cells: string[] = [];
  #values = 0;
  #characters = 0;
  #column = 0;
  #type = 'n';
  #style = 0;
  #text = '';
  #value: string | undefined;
  #formula: string | undefined;
  #isInText = false;

  constructor(context: SheetContext) {
    this.#context = context;
  }

  open(name: string, attributes: Attributes): void {
    if (!this.#isInData) this.#isInData = name === 'sheetData';
    else if (name === 'c') this.#beginCell(attributes);
    else if (name === 'v' || name === 'f') {
      this.#text = '';
      this.#isInText = true;
    } else if (name === 'row') this.#beginRow(attributes);
    else this.#inline.open(name);
  }

  text(text: string): void {
    if (!this.#isInData) return;
    this.#count(text);
    if (this.#isInText) this.#text += text;
    else this.#inline.text(text);
  }

  close(name: string): void {
    if (!this.#isInData) return;
    if (name === 'v') this.#value = this.#endText();
    else if (name === 'c') this.#endCell();
    else if (name === 'f') this.#formula = this.#endText();
    else if (name === 'row') this.#endRow();
    else if (name === 'is') this.#value = unescapeText(this.#inline.take());
    else if (name === 'sheetData') this.#isInData = false;
    else this.#inline.close(name);
  }

  /** A few bytes of XML can refer to a long shared string many times. */
  #count(text: string): void {
    this.#characters += text.length;
    if (this.#characters > MAX_ROW_TEXT || this.#lines.length > 2 * MAX_ROW_TEXT) {
      throw new XmlError(`a row has more than ${MAX_ROW_TEXT} characters`);
    }
  }

  take(): string {
    const lines = this.#lines;
    this.#lines = '';
    return lines;
  }

  #beginRow(attributes: Attributes): void {
    const number = attribute(attributes, 'r');
    const row = number === undefined ? this.row + 1 : Number(number);
    if (!(row > this.row && row <= MAX_ROW && Number.isInteger(row))) {
      throw new XmlError(`after row ${this.row} comes row ${number ?? row}`);
    }
    this.row = row;
    this.#column = 0;
    this.#characters = 0;
  }

  #endRow(): void {
    if (this.#cells.length === 0) return;
    if (this.row > this.#nextLine) this.#lines += '\n'.repeat(this.row - this.#nextLine);
    this.#lines += `[${this.#cells.join(',')}]\n`;
    this.#nextLine = this.row + 1;
    this.widest = Math.max(this.widest, this.#values);
    this.#cells = [];
    this.#values = 0;
  }

  #beginCell(attributes: Attributes): void {
    const reference = attribute(attributes, 'r');
    this.#column = reference === undefined ? this.#column + 1 : columnOf(reference);
    if (!(this.#column >= 1 && this.#column <= MAX_COLUMN)) {
      throw new XmlError(`'${reference ?? this.#column}' is no cell of a sheet`);
    }
    this.#type = attribute(attributes, 't') ?? 'n';
    this.#style = Number(attribute(attributes, 's') ?? 0);
    this.#value = undefined;
    this.#formula = undefined;
  }

  #endText(): string {
    this.#isInText = false;
    return this.#text;
  }

  #endCell(): void {
    const json = this.#cellJson();
    if (json === undefined || json === EMPTY) return;
    const index = this.#column - 1;
    if (index < this.#cells.length && this.#cells[index] !== EMPTY) {
      throw new XmlError(`the row has two values for its column ${this.#column}`);
    }
    while (this.#cells.length < index) this.#cells.push(EMPTY);
    this.#cells[index] = json;
    this.#values += 1;
  }

  #cellJson(): string | undefined {
    const value = this.#value ?? '';
    const type = this.#type;
    const isText = type === 's' || type === 'str' || type === 'inlineStr';
    if (value === '') {
      return this.#formula === undefined || isText ? undefined : JSON.stringify([`=${this.#formula}`]);
    }
    if (type === 'e') return JSON.stringify([value]);
    return JSON.stringify(this.#textOf(type, value));
  }

  #textOf(type: string, value: string): string {
    const { strings, styles, is1904 } = this.#context;
    switch (type) {
      case 's': {
        const text = strings?.get(Number(value));
        if (text === undefined) throw new XmlError(`a cell refers to the shared string ${value}, which does not exist`);
        this.#count(text);
        return text;
      }
      case 'str':
        return unescapeText(value);
      case 'inlineStr':
      case 'd':
        return value;
      case 'b':
        return value === '1' || value === 'true' ? 'true' : 'false';
      default: {
        const kind = styles[this.#style];
        return kind === undefined ? numberText(value) : dateText(value, kind, is1904);
      }
    }
  }
}

const EMPTY = '""';

function columnOf(reference: string): number {
  let column = 0;
  for (let at = 0; at < reference.length; at += 1) {
    const letter = reference.charCodeAt(at) & 0xdf;
    if (letter < 0x41 || letter > 0x5a) break;
    column = column * 26 + letter - 0x40;
    if (column > MAX_COLUMN) break;
  }
  return column;
}

/** `time`: of a day, without a date. `date-time`: always both. */
export type DateKind = 'date' | 'time' | 'date-time';

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

/** `yyyy-mm-dd` shows a date, `h:mm` a time. Elapsed time (`[h]:mm`) is a number of days, not a time of a day. */
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

/** Digits that Excel shows. A double has up to 17, and the last two are the rounding of the binary number. */
const SHOWN_DIGITS = 15;

const SMALLEST = 1e-30;
const LARGEST = 1e30;
const WHOLE = /^-?\d+$/;
const NUMBER = /^-?\d+(?:\.\d*)?(?:e[+-]?\d{1,3})?$/i;
const plainNumber = new Intl.NumberFormat('en', { useGrouping: false, maximumSignificantDigits: SHOWN_DIGITS });

/**
 * The text of a number: as stored, but without an exponent, and without digits that Excel does not show. A whole number
 * keeps all its digits: other programs store long ids, which a double cannot hold.
 */
export function numberText(stored: string): string {
  if (stored.length <= SHOWN_DIGITS && !/e/i.test(stored)) return stored;
  if (WHOLE.test(stored) || !NUMBER.test(stored)) return stored;
  const shown = Number(Number(stored).toPrecision(SHOWN_DIGITS));
  const size = Math.abs(shown);
  return size === 0 || (size >= SMALLEST && size <= LARGEST) ? plainNumber.format(shown) : stored;
}

const LAST_DAY = 2_958_465;

const DAYS_TO_1904 = 1462;

/** The day that Excel believes 1900 to have had: a bug of Lotus 1-2-3. */
const LEAP_DAY_BUG = 60;

/**
 * The date or time of a serial number, to the millisecond: `2026-11-20`, `2026-11-20T14:05:00`, `14:05:00`. The number
 * itself if it is no date: negative, or after the year 9999.
 */
export function dateText(stored: string, kind: DateKind, is1904: boolean): string {
  const serial = Number(stored);
  const total = Math.round((is1904 ? serial + DAYS_TO_1904 : serial) * DAY_MS);
  const day = Math.floor(total / DAY_MS);
  if (!(serial >= 0) || day > LAST_DAY) return numberText(stored);
  const ms = total - day * DAY_MS;
  const isFirstDay = day === (is1904 ? DAYS_TO_1904 : 0);
  if (kind === 'time' && isFirstDay) return timeText(ms);
  return ms === 0 && kind !== 'date-time' ? dayText(day) : `${dayText(day)}T${timeText(ms)}`;
}

function timeText(ms: number): string {
  return new Date(ms).toISOString().slice(11, ms % 1000 === 0 ? 19 : 23);
}

function dayText(day: number): string {
  // As Excel shows them. They are no dates, so they are invalid.
  if (day === 0) return '1900-01-00';
  if (day === LEAP_DAY_BUG) return '1900-02-29';
  const sinceEpoch = Date.UTC(1899, 11, day < LEAP_DAY_BUG ? 31 : 30) + day * DAY_MS;
  return new Date(sinceEpoch).toISOString().slice(0, 10);
}
