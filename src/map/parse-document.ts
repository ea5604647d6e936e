/**
 * The mapping document (cli.md, "Mapping") from text: YAML 1.2, and so JSON as well. What can be told without the
 * input's columns is judged here, with the line on which it stands; the rest by check-mapping.ts. To text: render-document.ts.
 *
 * Not in index.ts, because it and its shapes are loaded where a mapping is read, and few runs have one.
 */
import {
  type Document,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type ParsedNode,
  parseDocument,
  type YAMLMap,
} from 'yaml';
import { excerpt } from '../lib/excerpt.ts';
import { nearest } from '../lib/nearest.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import type { RecordType } from '../model/record.ts';
import { canonicalName, contractsFor, fieldNames, formatList } from './column-match.ts';
import {
  documentShape,
  EXPECTED,
  EXPECTED_FIELD,
  fieldShape,
  KEYS_OF_DOCUMENT,
  KEYS_OF_FIELD,
  KEYS_OF_INPUT,
  WORKS_ONLY_WITH,
} from './document-schema.ts';
import type { FieldMapping, MappingDocument } from './document-types.ts';
import { dateSpecError } from './parse-date.ts';
import { parseTemplate } from './template.ts';

/**
 * Reads a mapping. `name` is the file's, as the user gave it.
 *
 * @throws ProblemError with every fault, each with `where` as `name:line`: `mapping.syntax` (no YAML),
 * `mapping.key` (unknown key), `mapping.field` (unknown field, or the same field twice), `mapping.value`.
 */
export function parseMapping(text: string, name: string): MappingDocument {
  const lines = new LineCounter();
  const source = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const where = (offset: number): string => `${name}:${Math.max(1, lines.linePos(offset).line)}`;
  const syntax = [...source.errors, ...source.warnings].map(
    ({ message, pos }): Problem => ({
      code: 'mapping.syntax',
      message: `The mapping is not valid YAML or JSON: ${message}.`.replace(/\.\.$/, '.'),
      where: where(pos[0]),
    }),
  );
  if (syntax.length > 0) throw new ProblemError(syntax);

  const reader = new Reader(source, where);
  const document = reader.read(plainValue(source, name));
  if (document === undefined) throw new ProblemError(reader.problems);
  return document;
}

/** Aliases (`*name`) are resolved here; one that names nothing is the only thing that can fail. */
function plainValue(source: Document.Parsed, name: string): unknown {
  try {
    return source.toJS();
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    throw new ProblemError({
      code: 'mapping.syntax',
      message: `The mapping is not valid YAML: ${error.message}.`,
      where: name,
    });
  }
}

type Path = readonly PropertyKey[];

interface ShapeIssue {
  readonly code: string;
  readonly path: Path;
  readonly keys?: readonly string[];
}

/** Reads one document and collects what is wrong with it. */
class Reader {
  readonly problems: Problem[] = [];
  readonly #source: Document.Parsed;
  readonly #where: (offset: number) => string;

  constructor(source: Document.Parsed, where: (offset: number) => string) {
    this.#source = source;
    this.#where = where;
  }

  read(raw: unknown): MappingDocument | undefined {
    if (!isRecord(raw)) {
      this.#add('mapping.syntax', [], `The mapping is ${kindOf(raw)}: expected keys such as type and fields.`);
      return undefined;
    }
    const head = documentShape.safeParse(raw);
    if (!head.success) for (const issue of head.error.issues) this.#shape(issue, raw, []);
    const type = head.success ? head.data.type : undefined;
    const fields: Record<string, FieldMapping> = {};
    if (isRecord(raw['fields'])) this.#fields(raw['fields'], type, fields);
    if (!head.success || this.problems.length > 0) return undefined;
    return { ...head.data, fields };
  }

  #fields(
    raw: Readonly<Record<string, unknown>>,
    type: RecordType | undefined,
    into: Record<string, FieldMapping>,
  ): void {
    const candidates = contractsFor(type);
    const seen = new Map<string, string>();
    for (const [name, value] of Object.entries(raw)) {
      const path = ['fields', name];
      const canonical = canonicalName(name, candidates);
      if (canonical === undefined) {
        this.#unknownField(name, type);
        continue;
      }
      const twin = seen.get(canonical);
      if (twin !== undefined) {
        this.#add('mapping.field', path, `"${twin}" and "${name}" are the same field: map only one of them.`);
      }
      seen.set(canonical, name);
      const mapping = this.#field(value, path);
      if (mapping !== undefined) into[name] = mapping;
    }
  }

  #field(raw: unknown, path: Path): FieldMapping | undefined {
    if (typeof raw === 'object' && raw !== null && !Array.isArray(raw)) {
      const result = fieldShape(raw).safeParse(raw);
      if (!result.success) {
        for (const issue of result.error.issues) this.#shape(issue, raw, path);
        return undefined;
      }
      const fault = deepFault(result.data);
      if (fault === undefined) return result.data;
      this.#add('mapping.value', [...path, fault.key], `"${pathText(path)}": ${fault.message}.`);
      return undefined;
    }
    const column = fieldShape({ column: raw }).safeParse({ column: raw });
    if (column.success) return column.data;
    this.#add('mapping.value', path, `"${pathText(path)}" is ${kindOf(raw)}: expected ${EXPECTED_FIELD}.`);
    return undefined;
  }

  #shape(issue: ShapeIssue, raw: unknown, base: Path): void {
    const path = [...base, ...issue.path];
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys ?? []) this.#unknownKey(path, key);
      return;
    }
    const value = issue.path.reduce<unknown>((at, key) => own(at, key), raw);
    const expected = expectedAt(path);
    this.#add(
      'mapping.value',
      path,
      value === undefined
        ? `"${pathText(path)}" is missing: expected ${expected}.`
        : `"${pathText(path)}" is ${kindOf(value)}: expected ${expected}.`,
    );
  }

  #unknownKey(path: Path, key: string): void {
    const full = [...path, key];
    if (path.length === 0 && canonicalName(key, contractsFor(undefined)) !== undefined) {
      this.#add('mapping.key', full, `"${key}" is a field: it belongs under "fields:".`);
      return;
    }
    const allowed = path.length === 0 ? KEYS_OF_DOCUMENT : path[0] === 'input' ? KEYS_OF_INPUT : KEYS_OF_FIELD;
    if (path[0] === 'fields' && allowed.includes(key)) {
      const only = WORKS_ONLY_WITH[key];
      this.#add(
        'mapping.key',
        full,
        only === undefined
          ? `"${pathText(full)}" cannot be combined with the other keys of this field.`
          : `"${pathText(full)}" works only with \`${only}\`.`,
      );
      return;
    }
    const near = nearest(key, allowed);
    this.#add(
      'mapping.key',
      full,
      `Unknown key "${pathText(full)}": expected one of ${formatList(allowed, '')}.`,
      near === undefined ? undefined : `Did you mean "${near}"?`,
    );
  }

  #unknownField(name: string, type: RecordType | undefined): void {
    const names = fieldNames(contractsFor(type));
    const near = nearest(name, names);
    this.#add(
      'mapping.field',
      ['fields', name],
      `There is no field "${name}"${type === undefined ? '' : ` in ${type}`}.`,
      near === undefined ? `The fields are ${formatList(names, '')}.` : `Did you mean "${near}"?`,
    );
  }

  #add(code: string, path: Path, message: string, hint?: string): void {
    const where = this.#where(offsetOf(this.#source, path));
    this.problems.push({ code, message, where, ...(hint === undefined ? {} : { hint }) });
  }
}

/** What only the transform itself can judge: a template's braces, a date's format and zone. */
function deepFault(mapping: FieldMapping): { key: string; message: string } | undefined {
  if ('template' in mapping) {
    const template = parseTemplate(mapping.template);
    return typeof template === 'string' ? { key: 'template', message: `the template has ${template}` } : undefined;
  }
  if ('format' in mapping) {
    const message = dateSpecError(mapping);
    return message === undefined ? undefined : { key: 'format', message };
  }
  return undefined;
}

function offsetOf(source: Document.Parsed, path: Path): number {
  let node: ParsedNode | null | undefined = source.contents;
  let offset = node?.range[0] ?? 0;
  for (const part of path) {
    if (isMap(node)) {
      const map: YAMLMap.Parsed = node;
      const pair = map.items.find(({ key }) => isScalar(key) && String(key.value) === String(part));
      if (pair === undefined) break;
      offset = pair.key.range[0];
      node = pair.value;
    } else if (isSeq(node) && typeof part === 'number') {
      const item: unknown = node.items[part];
      if (!isNode(item) || item.range == null) break;
      return item.range[0];
    } else break;
  }
  return offset;
}

/** What the innermost key of a path expects: faults inside a list or a table are told in its terms. */
function expectedAt(path: Path): string {
  const names = path.map(String);
  if (names.join('.') === 'input.format') return 'one of csv, ndjson, json';
  const key = names.findLast((name) => Object.hasOwn(EXPECTED, name));
  return key === undefined ? 'a different value' : (EXPECTED[key] ?? 'a different value');
}

function own(value: unknown, key: PropertyKey): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return Reflect.get(value, key);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function pathText(path: Path): string {
  return path.map(String).join('.');
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'empty';
  return typeof value === 'string' ? `"${excerpt(value)}"` : excerpt(value);
}
