/** The columns that no field and no question uses, each with the reason. */
import type { Variant } from '../../model/record.ts';
import { columnFinder } from '../column-match.ts';
import type { MappingDocument } from '../document-schema.ts';
import { columnsOf } from '../field-transforms.ts';
import type { Column } from './column.ts';
import type { Question } from './proposal.ts';

interface AskedQuestions {
  readonly questions: readonly Question[];
  /** Those about fields that would be sent. */
  readonly asked: ReadonlySet<Question>;
  /** The variant that is not chosen. */
  readonly other: Variant;
}

export function unusedColumns(
  columns: readonly Column[],
  document: MappingDocument,
  { questions, asked, other }: AskedQuestions,
): readonly { column: string; why: string }[] {
  // Column names that differ only in case or punctuation are different columns.
  const find = columnFinder(columns.map(({ name }) => name));
  const used = new Set(
    Object.values(document.fields)
      .flatMap(columnsOf)
      .flatMap((wanted) => {
        const found = find(wanted);
        return found.kind === 'one' ? [found.name] : [];
      }),
  );
  const questionAbout = (column: string, among: readonly Question[]): Question | undefined =>
    among.find(({ options }) => options.some((option) => option.columns.includes(column)));
  const whyNot = ({ name, profile }: Column): string => {
    if (profile.nested) return 'its values are objects or lists';
    if (profile.texts.length === 0) return 'empty in the sampled rows';
    const dropped = questionAbout(name, questions);
    return dropped === undefined ? 'fits no remaining field' : `only variant ${other} has ${dropped.field}`;
  };
  return columns
    .filter(({ name }) => !used.has(name) && questionAbout(name, [...asked]) === undefined)
    .map((column) => ({ column: column.name, why: whyNot(column) }));
}
