/** How to complete a mapping without a terminal: the open questions with an option for each answer, and the next commands. */
import { existsSync } from 'node:fs';
import { printable } from '../lib/printable.ts';
import { shellQuote } from '../lib/shell.ts';
import { isLikely, type Question, usualValues } from '../map/index.ts';
import { wayLabels } from './field-examples.ts';
import { fieldOption } from './field-options.ts';
import { type MappingProposal, openQuestions } from './mapping-proposal.ts';
import type { PlanRequest } from './plan-types.ts';
import { missingFields } from './required-fields.ts';

/** What the commands that continue need of a request. */
export type RepeatedRequest = Pick<
  PlanRequest,
  | 'files'
  | 'suggest'
  | 'again'
  | 'type'
  | 'variant'
  | 'columns'
  | 'constants'
  | 'empty'
  | 'omitInvalid'
  | 'transformFile'
  | 'decode'
>;

/** The options that a suggested command repeats, so that it reads and maps the inputs in the same way. */
export function repeatedOptions(request: Omit<RepeatedRequest, 'files' | 'suggest' | 'again'>): readonly string[] {
  const { type, variant, columns, constants, empty = [], omitInvalid = [], transformFile, decode } = request;
  const option = (name: string, value: string | number | undefined): readonly string[] =>
    value === undefined ? [] : [name, String(value)];
  return [
    ...option('--type', type),
    ...option('--variant', variant === 'auto' ? undefined : variant),
    ...option('--format', decode.format),
    ...option('--delimiter', decode.delimiter),
    ...option('--quote', decode.quote),
    ...(decode.header === false ? ['--no-header'] : []),
    ...option('--encoding', decode.encoding),
    ...option('--sheet', decode.sheet),
    ...option('--header-line', decode.headerLine),
    ...option('--transform', transformFile),
    ...columns.flatMap((column) => ['-c', column]),
    ...constants.flatMap((constant) => ['--set', constant]),
    ...empty.flatMap((word) => ['--empty', word]),
    ...omitInvalid.flatMap((field) => ['--omit-invalid', field]),
  ];
}

/** The command of the request for these files, with other options about reading and mapping. */
export function againCommand(
  { suggest, again }: Pick<PlanRequest, 'suggest' | 'again'>,
  files: readonly string[],
  ...words: readonly string[]
): string {
  const { command = 'upload', rowOptions = [], otherOptions = [] } = again ?? {};
  return suggest(command, ...files, ...words, ...rowOptions, ...otherOptions);
}

/** The command that uses a saved mapping: that of the request, or an upload after `map`. */
export function commandWith(
  target: string,
  request: Pick<PlanRequest, 'suggest' | 'again' | 'files'>,
  ...words: readonly string[]
): string {
  const { again, files } = request;
  const mapped = again?.command === 'map' ? { ...again, command: 'upload' as const, otherOptions: [] } : again;
  return againCommand({ ...request, again: mapped }, files, '-m', target, ...words);
}

/** Each answer with an example, and with the option that gives it. */
export function questionLines(proposal: MappingProposal, questions: readonly Question[]): readonly string[] {
  const { contract, document, variant, sample } = proposal;
  const required = new Set(missingFields(document, contract, variant.variant));
  return questions.flatMap(({ field: name, options }) => {
    const field = contract.field(name);
    if (field === undefined) return [];
    const ways = options.map(({ mapping }) => mapping);
    const labels = wayLabels(ways, field, sample);
    const proposed = ways.flatMap((way, index) => [
      `    ${labels[index]}`,
      `      ${optionText(...fieldOption(name, way))}`,
    ]);
    const { name: kind } = field.kind;
    const values = usualValues(field);
    const isText = kind === 'text' && required.has(name);
    const ownText = isText ? `, or -c '${name}=a text with {COLUMN}'` : '';
    const other = values.length === 0 ? `-c ${name}=COLUMN${ownText}` : `--set ${name}=VALUE: ${values.join(', ')}`;
    return [
      `  ${name}${required.has(name) ? ' (required)' : ''}: ${field.about}`,
      ...proposed,
      ...(proposed.length === 0 || values.length > 0
        ? [`    ${other}${kind === 'open' ? ' or another value' : ''}`]
        : []),
    ];
  });
}

function optionText(option: string, value: string): string {
  return printable(`${option} ${shellQuote(value, 'posix')}`);
}

/**
 * The commands that complete the mapping, at most two; for a pipe, which cannot be read twice, the options to add.
 *
 * @param reopenable whether the inputs can be read again
 * @param saved the file that has the mapping so far, which the commands complete
 */
export function continueLines(
  proposal: MappingProposal,
  request: PlanRequest,
  reopenable: boolean,
  saved?: string,
): readonly string[] {
  const { contract, document, variant } = proposal;
  const open = missingFields(document, contract, variant.variant);
  const questions = openQuestions(proposal, new Map());
  const answers = open.map((name) => {
    const [first] = questions.find(({ field }) => field === name)?.options ?? [];
    if (first !== undefined && isLikely(first)) return { isKnown: true, option: fieldOption(name, first.mapping) };
    // A column cannot be guessed; the first known value can be replaced.
    const [value] = contract.field(name)?.kind.values ?? [];
    const option = value === undefined ? (['-c', `${name}=COLUMN`] as const) : (['--set', `${name}=${value}`] as const);
    return { isKnown: false, option };
  });
  const unknown = answers.filter(({ isKnown }) => !isKnown).flatMap(({ option }) => option);
  const heading = unknown.length === 0 ? 'To accept the first answers' : 'To continue, with your answers';
  if (!reopenable) {
    const options = answers.map(({ option }) => optionText(...option));
    return [`${heading}, add to your command:`, `  ${options.join(' ')}`];
  }
  const [input = 'FILE'] = request.files;
  const target = saved ?? unusedName(input);
  const mapOptions = [...repeatedOptions(request), ...(request.again?.rowOptions ?? [])];
  const save = ['-o', target, ...(saved === undefined ? [] : ['--overwrite'])];
  return [
    `${heading}:`,
    `  ${request.suggest('map', input, ...mapOptions, ...unknown, '--accept', ...save)}`,
    `  ${commandWith(target, request)}`,
    ...(answers.every(({ isKnown }) => !isKnown) ? [] : ['To answer otherwise, add options to the first command.']),
  ];
}

/** A mapping that exists may be the work of a user. */
function unusedName(input: string): string {
  for (let number = 1; ; number += 1) {
    const name = `${input}.mapping${number === 1 ? '' : `-${number}`}.yaml`;
    if (!existsSync(name)) return name;
  }
}
