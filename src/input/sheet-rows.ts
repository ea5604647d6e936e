/**
 * A sheet as text: one JSON array of cells for each of its rows, on the line of that number. A row without values is an
 * empty line, so that a line number is a row number. A cell is a string; an error is `{"error":"#N/A"}`, and a formula
 * without a calculated value is `{"formula":"A1+B1"}`.
 */
import { type SharedStrings, TextCollector } from './shared-strings.ts';
import { type CellStyles, dateText, numberText } from './workbook-cells.ts';
import { type Attributes, attribute, unescapeText, XmlError, type XmlHandler } from './xml.ts';

/** Limits of Excel. */
const MAX_ROW = 1_048_576;
const MAX_COLUMN = 16_384;

/** Longest row, in characters. Real rows have far fewer, and `max_row_bytes` limits what is used. */
const MAX_ROW_TEXT = 2 ** 24;

export interface SheetContext {
  readonly strings: SharedStrings | undefined;
  readonly styles: CellStyles;
  readonly is1904: boolean;
}

/** Turns the elements of a sheet into lines. */
export class SheetRows implements XmlHandler {
  /** The row that was begun last. */
  row = 0;
  /** The most values that a row has had. */
  widest = 0;
  readonly #context: SheetContext;
  readonly #inline = new TextCollector();
  #isInData = false;
  /** Complete lines that were not taken yet. */
  #lines = '';
  /** The line on which the next row would be. */
  #nextLine = 1;
  /** JSON of the row's cells, up to the last that has a value. */
  #cells: string[] = [];
  #values = 0;
  #characters = 0;
  #column = 0;
  #type = 'n';
  #style = 0;
  /** The text of the element `v` or `f`. */
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
    else if (name === 'is') this.#value = this.#inline.take();
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

  /** The lines since the last call. */
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

  /** Undefined if the cell is empty. */
  #cellJson(): string | undefined {
    const value = this.#value ?? '';
    const type = this.#type;
    const isText = type === 's' || type === 'str' || type === 'inlineStr';
    if (value === '') {
      return this.#formula === undefined || isText ? undefined : JSON.stringify({ formula: this.#formula });
    }
    if (type === 'e') return JSON.stringify({ error: value });
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

/** The column of a reference such as `AB12`, from 1; 0 or too large a number if it is none. */
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
