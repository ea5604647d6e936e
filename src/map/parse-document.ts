/**
 * Parses a mapping document from YAML 1.2, and so from JSON. Reports with its line every problem that can be found without
 * the input's columns; compile-mapping.ts finds the others.
 */

import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { nearest } from '../lib/nearest.ts';
import { excerpt, formatList, isObject } from '../lib/text.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import type { RecordType } from '../model/record.ts';
import {
  documentShape,
  EXPECTED_FIELD,
  expectedAt,
  type FieldMapping,
  fieldSchema,
  keysAt,
  type MappingDocument,
} from './document-schema.ts';
import { transformProblem } from './field-transforms.ts';
import { canonicalName, contractsFor, fieldNameHint } from './match-names.ts';
import { isTemplate } from './template.ts';

/**
 * @param name the file's, as the user gave it
 * @throws ProblemError with all problems, each with `where` as `name:line`: `mapping.syntax` (not YAML), `mapping.key`
 * (unknown key), `mapping.field` (unknown field, or the same field twice), `mapping.value`
 */
export function parseMapping(text: string, name: string): MappingDocument {
  const lines = new LineCounter();
  const source = parseDocument(text, { lineCounter: lines, prettyErrors: false, resolveKnownTags: false });
  const where = (offset: number): string => `${name}:${Math.max(1, lines.linePos(offset).line)}`;
  const syntax = [...source.errors, ...source.warnings].map(
    ({ message, pos }): Problem => ({
      code: 'mapping.syntax',
      message: `The mapping is not valid YAML or JSON: ${message.replace(/\.$/, '')}.`,
      where: where(pos[0]),
    }),
  );
  if (syntax.length > 0) throw new ProblemError(syntax);

  const reader = new Reader(source, where);
  const document = reader.read(plainValue(source, name));
  if (document === undefined) throw new ProblemError(reader.problems);
  return document;
}

/** Resolves YAML aliases (`*name`). Fails only if an anchor is missing. */
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

const FORMS_HINT = `A field is ${EXPECTED_FIELD}; \`decimal\`, \`scale\` and \`unit\` need \`as: number\`, \`format\`, \`zone\` and \`locale\` \`as: date\`.`;

class Reader {
  readonly problems: Problem[] = [];
  readonly #source: Document.Parsed;
  readonly #where: (offset: number) => string;

  constructor(source: Document.Parsed, where: (offset: number) => string) {
    this.#source = source;
    this.#where = where;
  }

  read(raw: unknown): MappingDocument | undefined {
    if (!isObject(raw)) {
      this.#add('mapping.syntax', [], `The mapping is ${describe(raw)}: expected keys such as type and fields.`);
      return undefined;
    }
    const head = documentShape.safeParse(raw);
    for (const issue of head.error?.issues ?? []) this.#addIssue(issue, raw, []);
    const fields = isObject(raw['fields']) ? this.#fields(raw['fields'], head.data?.type) : {};
    return head.success && this.problems.length === 0 ? { ...head.data, fields } : undefined;
  }

  #fields(raw: Readonly<Record<string, unknown>>, type: RecordType | undefined): MappingDocument['fields'] {
    const fields: Record<string, FieldMapping> = {};
    const candidates = contractsFor(type);
    const seen = new Map<string, string>();
    for (const [name, value] of Object.entries(raw)) {
      const path = ['fields', name];
      const canonical = canonicalName(name, candidates);
      if (canonical === undefined) {
        const message = `There is no field "${name}"${type === undefined ? '' : ` in ${type}`}.`;
        this.#add('mapping.field', path, message, fieldNameHint(name, candidates));
        continue;
      }
      const twin = seen.get(canonical);
      if (twin !== undefined) {
        this.#add('mapping.field', path, `"${twin}" and "${name}" are the same field: map only one of them.`);
      }
      seen.set(canonical, name);
      const mapping = this.#field(value, path);
      if (mapping !== undefined) fields[name] = mapping;
    }
    return fields;
  }

  #field(raw: unknown, path: Path): FieldMapping | undefined {
    const keyed = isObject(raw)
      ? raw
      : typeof raw === 'string' && isTemplate(raw)
        ? { template: raw }
        : { column: raw };
    const { data, error } = fieldSchema(keyed).safeParse(keyed);
    if (data === undefined) {
      if (keyed === raw) for (const issue of error.issues) this.#addIssue(issue, raw, path);
      else this.#addUnexpected(path, raw, EXPECTED_FIELD);
      return undefined;
    }
    const problem = transformProblem(data);
    if (problem === undefined) return data;
    this.#add('mapping.value', [...path, problem.key], `"${path.join('.')}": ${problem.message}.`);
    return undefined;
  }

  #addIssue(issue: z.core.$ZodIssue, raw: unknown, base: Path): void {
    const path = [...base, ...issue.path];
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) this.#addUnknownKey(path, key);
      return;
    }
    const value = issue.path.reduce((parent, key) => Reflect.get(Object(parent), key), raw);
    this.#addUnexpected(path, value, expectedAt(path));
  }

  #addUnexpected(path: Path, value: unknown, expected: string): void {
    const found = value === undefined ? 'missing' : describe(value);
    this.#add('mapping.value', path, `"${path.join('.')}" is ${found}: expected ${expected}.`);
  }

  #addUnknownKey(parent: Path, key: string): void {
    const path = [...parent, key];
    const name = path.join('.');
    const allowed = keysAt(parent);
    if (parent.length === 0 && canonicalName(key, contractsFor(undefined)) !== undefined) {
      this.#add('mapping.key', path, `"${key}" is a field: it belongs under "fields:".`);
    } else if (allowed.includes(key)) {
      this.#add('mapping.key', path, `"${name}" cannot be combined with the other keys of this field.`, FORMS_HINT);
    } else {
      const near = nearest(key, allowed);
      const message = `Unknown key "${name}": expected one of ${formatList(allowed, '')}.`;
      this.#add('mapping.key', path, message, near && `Did you mean "${near}"?`);
    }
  }

  #add(code: string, path: Path, message: string, hint?: string): void {
    this.problems.push({ code, message, where: this.#where(offsetOf(this.#source, path)), hint });
  }
}

/** Of the last part of the path that the document has. */
function offsetOf(source: Document.Parsed, path: Path): number {
  for (let length = path.length; length > 0; length -= 1) {
    const parent = source.getIn(path.slice(0, length - 1));
    const last = path[length - 1];
    const item = isMap(parent)
      ? parent.items.find(({ key }) => isScalar(key) && String(key.value) === String(last))?.key
      : isSeq(parent) && typeof last === 'number' && parent.items[last];
    if (isNode(item) && item.range != null) return item.range[0];
  }
  return source.contents?.range[0] ?? 0;
}

function describe(value: unknown): string {
  if (value === null) return 'empty';
  return typeof value === 'string' ? `"${excerpt(value)}"` : excerpt(value);
}
