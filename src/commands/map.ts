/** `signals map`: proposes a mapping for a file, prompts for uncertain fields, and saves it. Sends nothing. */
import { writeFile } from 'node:fs/promises';
import { printable } from '../lib/printable.ts';
import type { Suggest } from '../lib/shell.ts';
import { messageOf } from '../lib/text.ts';
import {
  chooseVariant,
  type Discovered,
  type FieldMapping,
  type MappingComments,
  type MappingDocument,
  type Proposal,
  type Question,
  renderField,
  renderMapping,
} from '../map/index.ts';
import { ProblemError } from '../model/problem.ts';
import { percent } from '../plan/describe-mapping.ts';
import type { PlanRequest } from '../plan/index.ts';
import { missingFields, repeatedOptions } from '../plan/missing-fields.ts';
import { type ProposedMapping, proposeMapping } from '../plan/propose-mapping.ts';
import { hangingTable } from '../report/text-layout.ts';
import { resolveSettings } from '../settings/resolve-settings.ts';
import { createPrompts, type Prompts } from '../terminal/prompts.ts';
import { askQuestions, confirmEncoding, describeGuess } from './shared/ask-mapping.ts';
import { type Context, type Work, withOptions } from './shared/command.ts';
import { flag, type OptionValues, text, under, usageError } from './shared/option.ts';
import { givenSettings, OUTPUT, understandOptions, YES } from './shared/options.ts';
import { planRequest } from './shared/plan-request.ts';
import { createSuggest } from './shared/suggest.ts';

const BY_NAME = 'name matches';

const mapOptions = {
  ...understandOptions,
  ...under(OUTPUT, {
    output: text('-o, --output <file>', 'save the mapping to this file (default on a terminal: FILE.mapping.yaml)'),
    save: flag('--save', 'save the mapping to FILE.mapping.yaml'),
    overwrite: flag('--overwrite', 'replace an existing file'),
    accept: flag('--accept', 'accept the first proposal for every uncertain field'),
    json: flag('--json', 'print the proposal as one JSON object on stdout'),
    jsonSchema: flag('--json-schema', 'print the JSON Schema of mapping files (for editors)'),
    yes: YES,
  }),
};

type MapOptions = OptionValues<typeof mapOptions>;

export const command = {
  ...withOptions(mapOptions, run),
  more: [
    'Certain proposals are used. On a terminal you are asked about the others; otherwise they are saved as comments,',
    'unless you pass --accept.',
    '',
    'Examples:',
    '  signals map export.csv',
    '  signals map export.csv -c company_name=Account -o export.mapping.yaml',
    '  signals map --json-schema > mapping.schema.json',
  ].join('\n'),
} satisfies Work;

async function run(context: Context, args: readonly string[], options: MapOptions): Promise<number> {
  const { streams, signal } = context;
  if (options.jsonSchema) {
    const { mappingJsonSchema } = await import('../map/document-schema.ts');
    streams.out(`${JSON.stringify(mappingJsonSchema(), null, 2)}\n`);
    return 0;
  }
  const suggest = createSuggest(context, options);
  const [file] = args;
  if (file === undefined) {
    throw usageError('No file to map.', `For example: \`${suggest('map', 'export.csv')}\`.`);
  }
  const { settings } = await resolveSettings(givenSettings(context, options));
  const request = planRequest(context, [file], options, settings, suggest);
  const proposal = await proposeMapping(request, streams.stdin);
  const { accept, json } = options;
  const print = (line: string): void => (json ? streams.err(`${line}\n`) : streams.out(`${line}\n`));
  for (const line of proposalLines(proposal, streams.width())) print(line);

  const isInteractive = streams.interactive && !accept && !json && file !== '-';
  const prompts = createPrompts(streams, signal);
  const proposed = isInteractive ? await withEncoding(context, proposal) : proposal;
  const settled = settle(proposed, isInteractive ? await ask(prompts, proposed) : accept ? firstOptions(proposed) : {});
  const defaultTarget = `${file}.mapping.yaml`;
  let target = options.output ?? (options.save ? defaultTarget : undefined);
  if (target === undefined && isInteractive && (await prompts.confirm(`Save it to ${printable(defaultTarget)}?`))) {
    target = defaultTarget;
  }
  if (target !== undefined) {
    await save(target, renderMapping(settled.document, comments(proposed.discovered, settled)), options, suggest);
  }
  const exitCode = settled.open.length === 0 ? 0 : 2;
  if (json) streams.out(`${JSON.stringify(asJson(proposed, settled, target, exitCode))}\n`);
  for (const line of nextLines(request, file, target, settled)) print(line);
  return exitCode;
}

/** A confirmed encoding is saved in the mapping, so that an upload need not guess it again. */
async function withEncoding(context: Context, proposed: ProposedMapping): Promise<ProposedMapping> {
  const { guessed, name, document } = proposed;
  if (guessed === undefined) return proposed;
  await confirmEncoding(context, name, guessed);
  return { ...proposed, document: { ...document, input: { ...document.input, encoding: guessed.encoding } } };
}

/** Answers to questions about fields, by the user or by `--accept`. */
type Answers = Readonly<Record<string, FieldMapping>>;

function ask(
  prompts: Prompts,
  { document, contract, variant, discovered, columns }: ProposedMapping,
): Promise<Answers> {
  const open = missingFields(document, contract, variant);
  return askQuestions(prompts, { contract, open, questions: discovered.questions, columns });
}

function firstOptions({ discovered }: ProposedMapping): Answers {
  return Object.fromEntries(
    discovered.questions.flatMap(({ field, options: [first] }) =>
      first === undefined ? [] : [[field, first.mapping]],
    ),
  );
}

interface Settled {
  readonly document: MappingDocument;
  /** Required fields without a mapping. */
  readonly open: readonly string[];
  /** Fields whose question was answered. */
  readonly answered: ReadonlySet<string>;
}

function settle({ document, contract }: ProposedMapping, answers: Answers): Settled {
  const whole: MappingDocument = { ...document, fields: { ...document.fields, ...answers } };
  const { variant } = chooseVariant(whole, contract, document.variant ?? 'auto');
  return {
    document: { ...whole, variant: variant ?? document.variant },
    open: missingFields(whole, contract, variant),
    answered: new Set(Object.keys(answers)),
  };
}

async function save(target: string, yaml: string, options: MapOptions, suggest: Suggest): Promise<void> {
  try {
    await writeFile(target, yaml, { flag: options.overwrite ? 'w' : 'wx' });
  } catch (error) {
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    const [message, hint] = exists
      ? [`${target} already exists and was not changed.`, 'Pass another name with `-o`, or pass `--overwrite`.']
      : [
          `Cannot save the mapping to ${target}: ${messageOf(error)}.`,
          `Name another file: \`${suggest('map', 'FILE', '-o', 'OTHER.yaml')}\`.`,
        ];
    throw new ProblemError({ code: 'mapping.save', message, hint });
  }
}

function proposalLines(
  { name, description, discovered, guessed, document }: ProposedMapping,
  width: number,
): readonly string[] {
  const detected = new Set(certainOf(discovered).map(({ field }) => field));
  const given = Object.entries(document.fields).filter(([field]) => !detected.has(field));
  const rows = [
    ['FIELD', 'FROM', 'SURE', 'WHY'],
    ...given.map(([field, mapping]) => [field, shown(mapping), '', 'as requested']),
    ...certainOf(discovered).map((each) => row(each, percent(each.confidence))),
    ...discovered.questions.flatMap(({ field, why, options }) =>
      options.length === 0
        ? [[field, '?', '', printable(why)]]
        : options.map((each) => row(each, `${percent(each.confidence)}?`)),
    ),
  ];
  return [
    ...description.map((line) => printable(`${name}: ${line}`)),
    ...(guessed === undefined
      ? []
      : [
          `${printable(name)}: the encoding is a guess. ${describeGuess(guessed)} If that is right, pass --encoding ${guessed.encoding}.`,
        ]),
    '',
    ...hangingTable(rows, width),
    ...(discovered.questions.length === 0 ? [] : ['', 'Uncertain:']),
    ...discovered.questions.map(({ field, why }) => printable(`  ${field}: ${why}`)),
    ...(discovered.unused.length === 0 ? [] : ['', 'Unused:']),
    ...unusedLines(discovered).map((line) => `  ${printable(line)}`),
    '',
  ];
}

/** The fields that need no question. */
function certainOf({ byName, used }: Discovered): readonly (Proposal & { readonly how: 'name' | 'discovered' })[] {
  return [
    ...byName.map(({ field, column }) => {
      const mapping = { column };
      return { field, mapping, columns: [column], confidence: 1, reason: BY_NAME, how: 'name' as const };
    }),
    ...used.map((proposal) => ({ ...proposal, how: 'discovered' as const })),
  ];
}

function row({ field, mapping, reason }: Proposal, sure: string): readonly string[] {
  return [field, shown(mapping), sure, printable(reason)];
}

function shown(mapping: FieldMapping): string {
  return printable(renderField(mapping), 80);
}

/** Comments of the saved mapping: why each field is mapped, then the uncertain fields as lines to uncomment. */
function comments({ byName, used, questions, unused }: Discovered, { answered }: Settled): MappingComments {
  const fields = new Map<string, string>([
    ...byName.map(({ field }) => [field, BY_NAME] as const),
    ...used.map(({ field, confidence, reason }) => [field, `${percent(confidence)}: ${reason}`] as const),
    ...questions.filter(({ field }) => answered.has(field)).map(({ field, why }) => [field, `chosen: ${why}`] as const),
  ]);
  const open = questions.filter(({ field }) => !answered.has(field));
  return {
    fields,
    end: [
      ...open.flatMap(({ field, why, options }: Question) => [
        `Uncertain: ${field}, ${why}.`,
        ...options.map(({ mapping, confidence }) => `${field}: ${renderField(mapping)}   # ${percent(confidence)}`),
      ]),
      ...unusedLines({ unused }).map((line) => `Unused: ${line}.`),
    ],
  };
}

/** One line per reason. */
function unusedLines({ unused }: Pick<Discovered, 'unused'>): readonly string[] {
  const reasons = [...new Set(unused.map(({ why }) => why))];
  return reasons.map((why) => {
    const names = unused.filter((each) => each.why === why).map(({ column }) => `"${column}"`);
    return `${names.join(', ')} (${why})`;
  });
}

function asJson(
  { contract, type, discovered, name }: ProposedMapping,
  { document, open }: Settled,
  saved: string | undefined,
  exitCode: number,
): object {
  return {
    source: name,
    type: contract.type,
    why: type.why,
    variant: document.variant,
    fields: certainOf(discovered),
    questions: discovered.questions,
    open,
    unused: discovered.unused,
    mapping: document,
    saved,
    exitCode,
  };
}

function nextLines(request: PlanRequest, file: string, target: string | undefined, { open }: Settled): string[] {
  const missing = open.length === 0 ? [] : [`Required fields without a mapping: ${open.join(', ')}.`];
  if (target === undefined) {
    const command = request.suggest('map', file, ...repeatedOptions(request), '--save');
    return [...missing, `Not saved. To save it: ${command}`];
  }
  const use = request.suggest('upload', file, '-m', target);
  return [
    ...missing,
    `Saved to ${printable(target)}.`,
    open.length === 0 ? `To use it: ${use}` : `Map the missing fields in it, then: ${use}`,
  ];
}
