/** Formats a mapping document as YAML, for people and for `parseMapping` in parse-document.ts. */
import { Document, isMap, isScalar, visit } from 'yaml';
import type { FieldMapping, MappingDocument } from './document-schema.ts';

/** Comments for people, one line each, without the `#`. */
export interface MappingComments {
  /** Before a field, by its name. */
  readonly fields: ReadonlyMap<string, string>;
  /** After the last field. */
  readonly end: readonly string[];
}

/** Renders YAML with a comment at the top. `parseMapping` reads the same document back. */
export function renderMapping(document: MappingDocument, comments?: MappingComments): string {
  const { type, variant, input, empty, fields } = document;
  const plain = {
    type,
    variant,
    input,
    empty,
    fields: Object.fromEntries(Object.entries(fields).map(([name, mapping]) => [name, shorthand(mapping)])),
  };
  const yaml = new Document(plain, { aliasDuplicateObjects: false });
  const list = yaml.get('fields');
  // One line per field.
  visit(yaml, {
    Collection: (_key, node) => {
      if (node !== yaml.contents && node !== list) node.flow = true;
    },
  });
  if (comments !== undefined && isMap(list)) {
    for (const { key } of list.items) {
      const comment = isScalar(key) ? comments.fields.get(String(key.value)) : undefined;
      if (isScalar(key) && comment !== undefined) key.commentBefore = ` ${oneLine(comment)}`;
    }
    const end = comments.end.map((line) => ` ${oneLine(line)}`).join('\n');
    // An empty map is written as {}, which cannot contain a comment.
    if (end !== '' && list.items.length > 0) list.comment = end;
    else if (end !== '') yaml.comment = end;
  }
  yaml.commentBefore = ' Mapping from columns to fields. To reuse it: signals upload FILE -m THIS-FILE';
  return yaml.toString({ lineWidth: 0, flowCollectionPadding: true });
}

/** One field as one line of YAML: `Website`, or `{ column: Website, as: domain }`. */
export function renderField(mapping: FieldMapping): string {
  const yaml = new Document(shorthand(mapping), { aliasDuplicateObjects: false });
  visit(yaml, {
    Collection: (_key, node) => {
      node.flow = true;
    },
  });
  return yaml.toString({ lineWidth: 0, flowCollectionPadding: true }).trim();
}

/** A line end in a header would end the comment. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}

function shorthand(mapping: FieldMapping): FieldMapping | string {
  return 'column' in mapping && Object.keys(mapping).length === 1 ? mapping.column : mapping;
}
