/**
 * Inputs of different layouts in one run. Inputs with the same columns are understood together; each other layout is
 * understood by its own header. A run has one mapping, so they must come to the same: a column that one file has
 * and the first one lacks would else be left out of every file without a word (docs/decisions/0006).
 */
import type { DecodeOptions } from '../decode/index.ts';
import { type MappingDocument, renderField } from '../map/index.ts';
import { ProblemError } from '../model/problem.ts';
import type { DetectedMapping, HeaderGroup, MappableInput } from './detect-mapping.ts';
import { detectMapping } from './detect-mapping.ts';

/** Longer commands are no help: then the files are counted. */
const FILES_SHOWN = 20;

/** Differences that are told; the rest are of the same kind. */
const DIFFERENCES_SHOWN = 4;

/** The inputs by their columns, in whatever order these stand. All NDJSON and JSON is one layout: a path may be absent. */
export function groupByHeader<T extends MappableInput>(inputs: readonly T[]): readonly HeaderGroup<T>[] {
  const groups = new Map<string, T[]>();
  for (const input of inputs) {
    const key =
      input.detected.format === 'csv' ? JSON.stringify([...input.columns].sort()) : 'paths of objects';
    groups.set(key, [...(groups.get(key) ?? []), input]);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    return {
      inputs: group,
      columns: [...new Set(group.flatMap(({ columns }) => columns))],
      name: first.source.name,
    };
  });
}

interface Asked {
  readonly automatic: boolean;
  readonly type?: DetectedMapping['type']['type'];
  /** The command that uploads some of the files. */
  readonly upload: (files: readonly string[]) => string;
}

interface Meant {
  readonly layout: HeaderGroup;
  readonly understood: DetectedMapping;
}

/**
 * What all layouts come to: the first one's, with the columns without use of the others. Where a mapping is given, it
 * says everything, and the others are held against it when it is compiled.
 *
 * @throws ProblemError as `understand` does; `mapping.layouts` where two layouts come to different things
 */
export async function detectCommonMapping(
  layouts: readonly HeaderGroup[],
  options: DecodeOptions,
  given: MappingDocument,
  { automatic, type, upload }: Asked,
): Promise<
  DetectedMapping & { readonly alsoUnused: readonly { input: string; columns: readonly string[] }[] }
> {
  const asked = { automatic, ...(type === undefined ? {} : { type }) };
  const meant: Meant[] = [];
  for (const layout of automatic ? layouts : layouts.slice(0, 1)) {
    meant.push({ layout, understood: await detectMapping(layout, options, given, asked) });
  }
  const [first, ...others] = meant;
  if (first === undefined) throw new TypeError('there is no layout to be understood');
  if (others.some((other) => keyOf(other) !== keyOf(first))) throw differentMappings(meant, upload);
  const known = new Set(first.layout.columns);
  return {
    ...first.understood,
    alsoUnused: others.flatMap(({ layout, understood }) => {
      const columns = (understood.found?.unused ?? []).map(({ column }) => column);
      const further = columns.filter((column) => !known.has(column));
      return further.length === 0 ? [] : [{ input: layout.name, columns: further }];
    }),
  };
}

/** Equal for layouts that come to the same. */
function keyOf({ understood: { document, type } }: Meant): string {
  return JSON.stringify([type.type, ...fieldsOf(document)]);
}

function fieldsOf({ fields }: MappingDocument): readonly (readonly [string, string])[] {
  return Object.entries(fields)
    .map(([field, mapping]) => [field, renderField(mapping)] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1));
}

/** Says in what they differ, and gives a command for each kind. */
function differentMappings(meant: readonly Meant[], upload: Asked['upload']): ProblemError {
  const [first] = meant;
  const other = meant.find((each) => first !== undefined && keyOf(each) !== keyOf(first));
  if (first === undefined || other === undefined) throw new TypeError('all layouts are alike');
  const kinds = new Map<string, string[]>();
  for (const each of meant) {
    const names = each.layout.inputs.map(({ source }) => source.name);
    kinds.set(keyOf(each), [...(kinds.get(keyOf(each)) ?? []), ...names]);
  }
  const commands = [...kinds.values()].map((names) =>
    names.length > FILES_SHOWN
      ? `  ${names.length} files such as ${names[0]}: move them to a separate folder, and upload that.`
      : `  \`${upload(names)}\``,
  );
  return new ProblemError({
    code: 'mapping.layouts',
    message: `'${other.layout.name}' needs a different mapping than '${first.layout.name}', and a run has one mapping: ${differences(first, other)}.`,
    where: other.layout.name,
    hint: ['Upload each group separately, or pass one mapping that fits all with -m:', ...commands].join(
      '\n',
    ),
  });
}

function differences(first: Meant, other: Meant): string {
  const types = [first, other].map(({ understood }) => understood.type.type);
  if (types[0] !== types[1]) return `it contains ${types[1]}, not ${types[0]}`;
  const [ours, theirs] = [first, other].map(({ understood }) => new Map(fieldsOf(understood.document)));
  const fields = [...new Set([...(ours?.keys() ?? []), ...(theirs?.keys() ?? [])])];
  const told = fields
    .filter((field) => ours?.get(field) !== theirs?.get(field))
    .map((field) => {
      const [here, there] = [theirs?.get(field), ours?.get(field)];
      if (here === undefined) return `it has no column for ${field}`;
      return there === undefined
        ? `only it has a column for ${field} (${here})`
        : `${field} comes from ${here}, not ${there}`;
    });
  const rest = told.length - DIFFERENCES_SHOWN;
  return `${told.slice(0, DIFFERENCES_SHOWN).join('; ')}${rest > 0 ? `; and ${rest} more` : ''}`;
}
