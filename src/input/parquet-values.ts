/**
 * Writes the values of a Parquet column as JSON, exactly: hyparquet gives the stored values, and these functions apply the
 * types of the schema (Apache Parquet, "LogicalTypes"). A number that JSON.parse would round becomes text.
 */
import { isUtf8 } from 'node:buffer';
import type { SchemaElement, SchemaTree, TimeUnit } from 'hyparquet';
import { cut } from '../lib/text.ts';

/** Returns a value as JSON text. */
export type WriteValue = (value: unknown) => string;

/** Digits that every JSON number preserves. */
const SAFE_DIGITS = 15;

/** Bytes of a binary value that are shown, in hexadecimal. */
const SHOWN_BYTES = 32;

/** Units of a time in a second, as a power of ten. */
const DIGITS: Readonly<Record<TimeUnit, number>> = { MILLIS: 3, MICROS: 6, NANOS: 9 };

const DAY_MS = 86_400_000;

/**
 * The writer of a column or of a part of it. `asStored` receives the elements whose values must arrive as they are stored.
 * Those that hyparquet must convert (keys of maps, variants, geometries) are not among them.
 */
export function createWriter({ element, children }: SchemaTree, asStored: Set<SchemaElement>): WriteValue {
  if (element.logical_type?.type === 'VARIANT') return writeConverted;
  const [child, ...others] = children;
  if (child === undefined) return withNulls(repeated(leafWriter(element, asStored)));
  const inner = child.children;
  if (element.converted_type === 'LIST' && others.length === 0) {
    const [item = child] = inner.length === 1 ? inner : [];
    return withNulls(repeated(createWriter(item, asStored)));
  }
  if (element.converted_type === 'MAP' && others.length === 0 && inner[1] !== undefined) {
    const write = createWriter(inner[1], asStored);
    return withNulls(repeated((value) => writeObject(Object.entries(Object(value)), () => write)));
  }
  const writers = new Map(children.map((each) => [each.element.name, createWriter(each, asStored)]));
  return withNulls(
    repeated((value) => writeObject(Object.entries(Object(value)), (name) => writers.get(name) ?? writeConverted)),
  );
}

function withNulls(write: WriteValue): WriteValue {
  return (value) => (value === null || value === undefined ? 'null' : write(value));
}

/** Every part of a schema may be repeated: its values then come as an array. */
function repeated(write: WriteValue): WriteValue {
  const each = withNulls(write);
  return (value) => (Array.isArray(value) ? `[${value.map(repeated(each)).join(',')}]` : write(value));
}

function writeObject(entries: readonly (readonly [string, unknown])[], writer: (name: string) => WriteValue): string {
  return `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${writer(name)(value)}`).join(',')}}`;
}

/** Writes what hyparquet has converted. */
function writeConverted(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'bigint') return writeInteger(value);
  if (typeof value === 'number') return writeDouble(value);
  if (value instanceof Uint8Array) return writeText(value);
  if (Array.isArray(value)) return `[${value.map(writeConverted).join(',')}]`;
  if (typeof value !== 'object' || value instanceof Date) return JSON.stringify(value);
  return writeObject(Object.entries(value), () => writeConverted);
}

function leafWriter(element: SchemaElement, asStored: Set<SchemaElement>): WriteValue {
  const { type, converted_type: converted, logical_type: logical } = element;
  if (logical?.type === 'GEOMETRY' || logical?.type === 'GEOGRAPHY' || logical?.type === 'FLOAT16') {
    return writeConverted;
  }
  asStored.add(element);
  if (converted === 'DECIMAL' || logical?.type === 'DECIMAL') {
    const scale = element.scale ?? (logical?.type === 'DECIMAL' ? logical.scale : 0);
    return (value) => writeDecimal(unscaled(value), scale);
  }
  const time = timeOf(element);
  if (time !== undefined) return (value) => writeTime(toBigInt(value), time);
  if (converted === 'DATE' || logical?.type === 'DATE') return (value) => writeDate(Number(value));
  const isUnsigned = converted?.startsWith('UINT_') === true || (logical?.type === 'INTEGER' && !logical.isSigned);
  if (type === 'INT32') return (value) => String(isUnsigned ? Number(value) >>> 0 : value);
  if (type === 'INT64')
    return (value) => writeInteger(isUnsigned ? BigInt.asUintN(64, toBigInt(value)) : toBigInt(value));
  if (type === 'FLOAT') return (value) => writeDouble(shortest(Number(value)));
  if (type === 'DOUBLE') return (value) => writeDouble(Number(value));
  if (logical?.type === 'UUID') return (value) => JSON.stringify(uuidOf(toBytes(value)));
  if (converted === 'JSON' || logical?.type === 'JSON') return (value) => writeJson(toBytes(value));
  return (value) => (value instanceof Uint8Array ? writeText(value) : JSON.stringify(value));
}

interface TimeType {
  readonly kind: 'timestamp' | 'time';
  /** Digits of the fraction of a second. */
  readonly digits: number;
  /** Whether it is in UTC. Otherwise the file does not say which zone it is in. */
  readonly isUtc: boolean;
}

function timeOf({ type, converted_type: converted, logical_type: logical }: SchemaElement): TimeType | undefined {
  if (logical?.type === 'TIMESTAMP' || logical?.type === 'TIME') {
    const kind = logical.type === 'TIME' ? 'time' : 'timestamp';
    return { kind, digits: DIGITS[logical.unit], isUtc: logical.isAdjustedToUTC };
  }
  if (type === 'INT96') return { kind: 'timestamp', digits: 9, isUtc: false };
  const [, kind, unit] = /^(TIMESTAMP|TIME)_(MILLIS|MICROS)$/.exec(converted ?? '') ?? [];
  if (kind === undefined) return undefined;
  return { kind: kind === 'TIME' ? 'time' : 'timestamp', digits: unit === 'MILLIS' ? 3 : 6, isUtc: true };
}

/** ISO 8601: `2026-11-20T09:15:00.5Z`, or `09:15:00` for a time of day. */
function writeTime(value: bigint, { kind, digits, isUtc }: TimeType): string {
  const unit = 10n ** BigInt(digits);
  const fraction = ((value % unit) + unit) % unit;
  const date = new Date(Number((value - fraction) / unit) * 1000);
  if (Number.isNaN(date.getTime())) return JSON.stringify(String(value));
  const decimals = String(fraction).padStart(digits, '0').replace(/0+$/, '');
  const seconds = `${date.toISOString().slice(0, -'.000Z'.length)}${decimals === '' ? '' : `.${decimals}`}`;
  if (kind === 'time') return JSON.stringify(seconds.slice(seconds.indexOf('T') + 1));
  return JSON.stringify(isUtc ? `${seconds}Z` : seconds);
}

function writeDate(days: number): string {
  const date = new Date(days * DAY_MS);
  return JSON.stringify(Number.isNaN(date.getTime()) ? String(days) : date.toISOString().split('T')[0]);
}

function writeInteger(value: bigint): string {
  const text = String(value);
  return Number.isSafeInteger(Number(value)) ? text : JSON.stringify(text);
}

/** A number that is not a number means a missing value: pandas writes it so. */
function writeDouble(value: number): string {
  if (Number.isNaN(value)) return 'null';
  return Number.isFinite(value) ? String(value) : JSON.stringify(String(value));
}

/** The shortest decimal of a number of 32 bits: 0.1, not 0.10000000149011612. */
function shortest(value: number): number {
  for (let digits = 6; digits < 9; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return value;
}

function writeDecimal(value: bigint, scale: number): string {
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '');
  const text = `${value < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
  return (whole + fraction).replace(/^0+/, '').length <= SAFE_DIGITS ? text : JSON.stringify(text);
}

/** The integer of a decimal. Bytes are big-endian, in two's complement. */
function unscaled(value: unknown): bigint {
  if (!(value instanceof Uint8Array)) return toBigInt(value);
  if (value.length === 0) return 0n;
  return BigInt.asIntN(8 * value.length, BigInt(`0x${Buffer.from(value).toString('hex')}`));
}

function toBigInt(value: unknown): bigint {
  if (typeof value === 'bigint' || typeof value === 'number') return BigInt(value);
  throw new TypeError('a column has a value of another type than its schema says');
}

function toBytes(value: unknown): Buffer {
  if (!(value instanceof Uint8Array)) throw new TypeError('a column has a value of another type than its schema says');
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}

function uuidOf(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** A JSON text becomes a part of the row. One that cannot be parsed stays text. */
function writeJson(bytes: Buffer): string {
  const text = bytes.toString();
  try {
    JSON.parse(text);
    return text.replace(/[\r\n]+/g, ' ');
  } catch {
    return JSON.stringify(text);
  }
}

/** Bytes that are not UTF-8 become an object, which no field accepts: only rows that use them are invalid. */
function writeText(value: Uint8Array): string {
  const bytes = toBytes(value);
  if (isUtf8(bytes)) return JSON.stringify(bytes.toString());
  return JSON.stringify({
    binary: `${cut(bytes.toString('hex', 0, SHOWN_BYTES), 2 * SHOWN_BYTES)} (${bytes.length} bytes)`,
  });
}
