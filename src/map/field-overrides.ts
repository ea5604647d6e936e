/** `--column FIELD=COLUMN` and `--set FIELD=VALUE`: single fields, on top of a mapping document (cli.md). */
import { type Problem, ProblemError } from '../model/problem.ts';
import { canonicalName, contractsFor, fieldNameHint } from './column-match.ts';
import { numericCell, trim } from './column-values.ts';
import type { FieldMapping, MappingDocument } from './document-schema.ts';

/**
 * The document with fields replaced: those of `columns` first, then those of `constants`, and of two for the
 * same field the later one wins. Fields are known by any of their names. The document given is left as it is.
 *
 * @throws ProblemError with every fault, code `mapping.option`.
 */
export function withOverrides(
  document: MappingDocument,
  columns: readonly string[],
  constants: readonly string[],
): MappingDocument {
  const candidates = contractsFor(document.type);
  const problems: Problem[] = [];
  const fields = new Map(Object.entries(document.fields));
  const set = (option: string, shape: string, given: string, make: Make): void => {
    const at = given.indexOf('=');
    const name = trim(at === -1 ? given : given.slice(0, at));
    const rest = at === -1 ? '' : trim(given.slice(at + 1));
    if (name === '' || rest === '') {
      problems.push({
        code: 'mapping.option',
        message: `\`${option} ${given}\` does not have the form ${shape}.`,
        hint: `Write \`${option} ${shape}\`, with a field name before the first "=".`,
      });
      return;
    }
    const canonical = canonicalName(name, candidates);
    if (canonical === undefined) {
      problems.push({
        code: 'mapping.option',
        message: `\`${option} ${given}\` names an unknown field: "${name}".`,
        hint: fieldNameHint(name, candidates),
      });
      return;
    }
    for (const other of fields.keys()) {
      if (canonicalName(other, candidates) === canonical) fields.delete(other);
    }
    fields.set(name, make(rest, canonical));
  };
  for (const given of columns) set('--column', 'FIELD=COLUMN', given, (column) => ({ column }));
  for (const given of constants) set('--set', 'FIELD=VALUE', given, constant);
  if (problems.length > 0) throw new ProblemError(problems);
  return { ...document, fields: Object.fromEntries(fields) };

  /** A text of the command line is like a cell: only where a cell would, it becomes a number. */
  function constant(value: string, canonical: string): FieldMapping {
    const numeric = candidates.some((contract) => contract.field(canonical)?.kind.numericCells === true);
    const typed = numeric ? numericCell(value) : value;
    return { value: typeof typed === 'number' ? typed : value };
  }
}

type Make = (rest: string, canonical: string) => FieldMapping;
