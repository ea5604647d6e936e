/** Questions as commands: without a terminal, each answer is an option of the command that continues. */
import { existsSync } from 'node:fs';
import { printable } from '../lib/printable.ts';
import { type Suggest, shellQuote } from '../lib/shell.ts';
import type { Overrides, Question } from '../map/index.ts';
import type { DecodeOptions } from '../model/decode-options.ts';
import type { RecordType, Variant } from '../model/record.ts';
import { fieldOption, fieldQuestion, otherValues } from './field-question.ts';
import { type MappingProposal, missingFields, openQuestions } from './mapping-proposal.ts';
import { acceptable, answerLines } from './question.ts';

export type DecodeRequest = Omit<DecodeOptions, 'header'> & { readonly header?: boolean | undefined };

/** The command that asks, and its options as typed. */
export interface AskingCommand {
  readonly command: 'upload' | 'check' | 'map';
  /** The words of each option about reading and mapping, by its name. */
  readonly mappingOptions: ReadonlyMap<string, readonly string[]>;
  readonly rowOptions: readonly string[];
  readonly otherOptions: readonly string[];
}

/** What commands that continue repeat of a request. */
export interface RepeatedRequest extends Overrides {
  /** As typed; empty for stdin. */
  readonly files: readonly string[];
  /** There are other files, with other columns. */
  readonly isPart?: true;
  readonly suggest: Suggest;
  readonly asking?: AskingCommand | undefined;
  readonly type?: RecordType | undefined;
  readonly variant: Variant | 'auto';
  /** A module whose default export is a function from row to row. */
  readonly transformFile?: string | undefined;
  readonly decode: DecodeRequest;
}

/** The options that a suggested command repeats, so that it reads and maps the inputs in the same way. */
export function repeatedOptions({
  asking,
  type,
  decode: { encoding, sheet },
}: Pick<RepeatedRequest, 'asking' | 'type' | 'decode'>): readonly string[] {
  const typed = [...(asking?.mappingOptions ?? [])].flatMap(([name, words]) =>
    ['type', 'encoding', 'sheet'].includes(name) ? [] : words,
  );
  return [
    ...(type === undefined ? [] : ['--type', type]),
    // Typed, guessed or chosen.
    ...(encoding === undefined ? [] : ['--encoding', encoding]),
    ...(sheet === undefined ? [] : ['--sheet', sheet]),
    ...typed,
  ];
}

/** The command of the request for these files, with other options about reading and mapping. */
export function repeatedCommand(
  { suggest, asking }: Pick<RepeatedRequest, 'suggest' | 'asking'>,
  files: readonly string[],
  ...words: readonly string[]
): string {
  const { command = 'upload', rowOptions = [], otherOptions = [] } = asking ?? {};
  return suggest(command, ...files, ...words, ...rowOptions, ...otherOptions);
}

/** The command that uses a saved mapping: that of the request, or an upload after `map`. */
export function commandWith(
  target: string,
  request: Pick<RepeatedRequest, 'suggest' | 'asking' | 'files'>,
  ...words: readonly string[]
): string {
  const { asking, files } = request;
  const mapped = asking?.command === 'map' ? { ...asking, command: 'upload' as const, otherOptions: [] } : asking;
  return repeatedCommand({ ...request, asking: mapped }, files, '-m', target, ...words);
}

export function questionLines(proposal: MappingProposal, questions: readonly Question[]): readonly string[] {
  const { contract, document, variant } = proposal;
  const required = new Set(missingFields(document, contract, variant.variant));
  return questions.flatMap((question) => {
    const { field: name } = question;
    const field = contract.field(name);
    if (field === undefined) return [];
    const answers = answerLines(fieldQuestion(proposal, question), (option) => optionText(...option));
    const { name: kind } = field.kind;
    const values = otherValues(field, question.options);
    const isText = kind === 'text' && required.has(name);
    const ownText = isText ? `, or -c '${name}=a text with {COLUMN}'` : '';
    const other = values.length === 0 ? `-c ${name}=COLUMN${ownText}` : `--set ${name}=VALUE: ${values.join(', ')}`;
    const isOtherNamed = answers.length === 0 || values.length > 0;
    return [
      `  ${name}${required.has(name) ? ' (required)' : ''}: ${field.about}`,
      ...answers.map((line) => `    ${line}`),
      ...(isOtherNamed ? [`    ${other}${kind === 'open' ? ' or another value' : ''}`] : []),
    ];
  });
}

function optionText(option: string, value: string): string {
  return printable(`${option} ${shellQuote(value, 'posix')}`);
}

/**
 * The commands that complete the mapping, at most two; for a pipe, which cannot be read twice, the options to add.
 *
 * @param saved the file that has the mapping so far, which the commands complete
 */
export function continueLines(
  proposal: MappingProposal,
  request: RepeatedRequest,
  reopenable: boolean,
  saved?: string,
): readonly string[] {
  const { contract, document, variant } = proposal;
  const open = missingFields(document, contract, variant.variant);
  const questions = openQuestions(proposal, new Map());
  const answers = open.map((name) => {
    const question = questions.find(({ field }) => field === name) ?? { field: name, why: '', options: [] };
    const asked = fieldQuestion(proposal, question);
    const accepted = acceptable(asked);
    const { mapping } = 'value' in accepted ? accepted.value : { mapping: undefined };
    if (mapping !== undefined) return { isKnown: true, option: fieldOption(name, mapping) };
    // A column of kinds of which some are unknown.
    const [first] = asked.answers;
    if (first?.option !== undefined && 'next' in first) return { isKnown: false, option: first.option };
    const values = contract.field(name)?.kind.values ?? [];
    const option = values.length === 0 ? (['-c', `${name}=COLUMN`] as const) : (['--set', `${name}=VALUE`] as const);
    return { isKnown: false, option };
  });
  const unknown = answers.filter(({ isKnown }) => !isKnown).flatMap(({ option }) => option);
  const isComplete = open.length === 0;
  const other = 'Add one of these options to your command.';
  const heading = isComplete
    ? `${other} To leave out what is open`
    : unknown.length === 0
      ? 'To accept the first answers'
      : 'To continue, with your answers';
  if (!reopenable && isComplete) return [other];
  if (!reopenable) {
    const options = answers.map(({ option }) => optionText(...option));
    return [`${heading}, add to your command:`, `  ${options.join(' ')}`];
  }
  const [input = 'FILE'] = request.files;
  const target = saved ?? unusedName(input);
  const mapOptions = [...repeatedOptions(request), ...(request.asking?.rowOptions ?? [])];
  const save = ['-o', target, ...(saved === undefined ? [] : ['--overwrite'])];
  return [
    `${heading}:`,
    `  ${request.suggest('map', input, ...mapOptions, ...unknown, '--accept', ...save)}`,
    `  ${commandWith(target, request)}`,
    ...(answers.every(({ isKnown }) => !isKnown) ? [] : ['To answer otherwise, add options to the first command.']),
    ...(saved === undefined ? savedLines(request) : []),
  ];
}

/** The command that uses the mapping that was saved next to the input, if there is one. */
export function savedLines(request: RepeatedRequest): readonly string[] {
  const target = mappingFileFor(request.files[0] ?? '');
  return existsSync(target) ? [`To use the mapping in ${target}:`, `  ${commandWith(target, request)}`] : [];
}

/** Where the mapping of an input is saved: next to it. Windows allows no colon in a name, such as before a sheet. */
export function mappingFileFor(input: string, number = 1): string {
  const file = input.replace(/[/\\]+$/, '');
  const name = existsSync(file) ? file : file.replace(/(?<=..):.*/, (inner) => inner.replaceAll(/[:/\\]/g, '-'));
  return `${name}.mapping${number === 1 ? '' : `-${number}`}.yaml`;
}

/** A mapping that exists may be the work of a user. */
function unusedName(input: string): string {
  for (let number = 1; ; number += 1) {
    const name = mappingFileFor(input, number);
    if (!existsSync(name)) return name;
  }
}
