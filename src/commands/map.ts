/** `signals map`: proposes a mapping for a file, asks on a terminal for what is open, and saves it. Sends nothing. */

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
import type { RecordType, Variant } from '../model/record.ts';
import { missingFields, percent, repeatedOptions } from '../plan/detect-mapping.ts';
import { type PlanRequest, type ProposedMapping, proposeMapping } from '../plan/index.ts';
import { hangingTable } from '../report/text-layout.ts';
import { resolveSettings } from '../settings/resolve-settings.ts';
import { Cancelled, createPrompts } from '../terminal/prompts.ts';
import { agreesOnEncoding, askOpen, guessSaid } from './shared/ask-mapping.ts';
import type { Context, Option, Options, Work } from './shared/command.ts';
import { planRequest, settingsAsked, suggestFor, text, understandOptions } from './shared/options.ts';

const SAVING = 'Output:';

const mapOptions: readonly Option[] = [
  {
    flags: '-o, --output <file>',
    about: 'save the mapping to this file (default on a terminal: FILE.mapping.yaml)',
    group: SAVING,
  },
  { flags: '--save', about: 'save the mapping to FILE.mapping.yaml', group: SAVING },
  { flags: '--overwrite', about: 'replace an existing file', group: SAVING },
  { flags: '--accept', about: 'accept the first proposal for every uncertain field', group: SAVING },
  { flags: '--json', about: 'print the proposal as one JSON object on stdout', group: SAVING },
  { flags: '--json-schema', about: 'print the JSON Schema of mapping files (for editors)', group: SAVING },
  { flags: '--yes', about: 'do not prompt', group: SAVING },
];

export const map = {
  options: [...understandOptions, ...mapOptions],
  more: [
    'Certain proposals are used. On a terminal you are asked about the others; otherwise they are saved as comments,',
    'unless you pass --accept.',
    '',
    'Examples:',
    '  signals map export.csv',
    '  signals map export.csv -c company_name=Account -o export.mapping.yaml',
    '  signals map --json-schema > mapping.schema.json',
  ].join('\n'),
  run,
} satisfies Work;

async function run(context: Context, args: readonly string[], options: Options): Promise<number> {
  const { streams, signal } = context;
  const suggest = suggestFor(context, options);
  if (options['jsonSchema'] === true) {
    const { mappingJsonSchema } = await import('../map/document-json-schema.ts');
    streams.out(`${JSON.stringify(mappingJsonSchema(), null, 2)}\n`);
    return 0;
  }
  const [file] = args;
  if (file === undefined) {
    throw new ProblemError({
      code: 'usage',
      message: 'No file to map.',
      hint: `For example: \`${suggest('map', 'export.csv')}\`.`,
    });
  }
  const { settings } = await resolveSettings(settingsAsked(context, options));
  const request = planRequest([file], options, settings, suggest);
  const found = await proposeMapping(request, streams.stdin);
  const json = options['json'] === true;
  const say = (line: string): void => (json ? streams.err(`${line}\n`) : streams.out(`${line}\n`));
  for (const line of rendered(found, streams.width())) say(line);

  const output = text(options, 'output') ?? (options['save'] === true ? `${file}.mapping.yaml` : undefined);
  const asks = streams.interactive && options['accept'] !== true && !json && file !== '-';
  const proposed = asks ? await withEncoding(context, found) : found;
  const settled = await settle(proposed, {
    accept: options['accept'] === true,
    ask: (open) =>
      asks
        ? askOpen(createPrompts(streams, signal), {
            contract: proposed.contract,
            open,
            questions: proposed.found.questions,
            columns: proposed.columns,
          })
        : undefined,
  });
  const target = output ?? (asks ? await askTarget(context, file) : undefined);
  if (target !== undefined) {
    await save(target, renderMapping(settled.document, comments(proposed.found, settled)), options, suggest);
  }
  const exitCode = settled.open.length === 0 ? 0 : 2;
  if (json) streams.out(`${JSON.stringify(asJson(proposed, settled, target, exitCode))}\n`);
  for (const line of closing(request, file, target, settled)) say(line);
  return exitCode;
}

/** A guessed encoding that somebody has agreed to is part of the mapping: what uses it needs not guess again. */
async function withEncoding(context: Context, proposed: ProposedMapping): Promise<ProposedMapping> {
  const { guessed, name, document } = proposed;
  if (guessed === undefined) return proposed;
  if (await agreesOnEncoding(createPrompts(context.streams, context.signal), name, guessed)) {
    return {
      ...proposed,
      document: { ...document, input: { ...document.input, encoding: guessed.encoding } },
    };
  }
  context.streams.err('Say the right one with --encoding.\n');
  throw new Cancelled();
}

interface Settled {
  readonly document: MappingDocument;
  readonly variant: Variant | undefined;
  /** Required fields that nothing is mapped to. */
  readonly open: readonly string[];
  /** Questions that were answered, by the user or by --accept. */
  readonly answered: ReadonlySet<string>;
}

async function settle(
  { document, contract, found, variant }: ProposedMapping,
  how: {
    readonly accept: boolean;
    readonly ask: (open: readonly string[]) => Promise<Readonly<Record<string, FieldMapping>>> | undefined;
  },
): Promise<Settled> {
  const asked = await how.ask(missingFields(document, contract, variant));
  const accepted = how.accept
    ? Object.fromEntries(
        found.questions.flatMap(({ field, options: [first] }) =>
          first === undefined ? [] : [[field, first.mapping]],
        ),
      )
    : {};
  const answers: Readonly<Record<string, FieldMapping>> = asked ?? accepted;
  const whole: MappingDocument = { ...document, fields: { ...document.fields, ...answers } };
  const chosen = chooseVariant(whole, contract, document.variant ?? 'auto').variant;
  return {
    document: { ...whole, ...(chosen === undefined ? {} : { variant: chosen }) },
    variant: chosen,
    open: missingFields(whole, contract, chosen),
    answered: new Set(Object.keys(answers)),
  };
}

async function askTarget(context: Context, file: string): Promise<string | undefined> {
  const prompts = createPrompts(context.streams, context.signal);
  const name = `${file}.mapping.yaml`;
  return (await prompts.confirm(`Save it as ${printable(name)}?`)) ? name : undefined;
}

async function save(target: string, yaml: string, options: Options, suggest: Suggest): Promise<void> {
  try {
    await writeFile(target, yaml, { flag: options['overwrite'] === true ? 'w' : 'wx' });
  } catch (error) {
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    throw new ProblemError({
      code: 'mapping.save',
      message: exists
        ? `${target} is there already, and was left as it is.`
        : `The mapping cannot be saved as ${target}: ${messageOf(error)}.`,
      hint: exists
        ? 'Give another name with `-o`, or `--overwrite`.'
        : `Name another file: \`${suggest('map', 'FILE', '-o', 'OTHER.yaml')}\`.`,
    });
  }
}

function rendered(
  { name, description: said, found, guessed, document }: ProposedMapping,
  width: number,
): readonly string[] {
  const discovered = new Set([...found.byName, ...found.used].map(({ field }) => field));
  const given = Object.entries(document.fields).filter(([field]) => !discovered.has(field));
  const rows = [
    ['FIELD', 'FROM', 'SURE', 'WHY'],
    ...given.map(([field, mapping]) => [field, shown(mapping), '', 'you said so']),
    ...found.byName.map(({ field, column }) => [
      field,
      shown({ column }),
      '100%',
      'the column bears its name',
    ]),
    ...found.used.map((each) => row(each, percent(each.confidence))),
    ...found.questions.flatMap(({ field, why, options }) =>
      options.length === 0
        ? [[field, '?', '', printable(why)]]
        : options.map((each) => row(each, `${percent(each.confidence)}?`)),
    ),
  ];
  return [
    ...said.map((line) => printable(`${name}: ${line}`)),
    ...(guessed === undefined
      ? []
      : [
          `${printable(name)}: its encoding is a guess. ${guessSaid(guessed)} If that is right, say --encoding ${guessed.encoding}.`,
        ]),
    '',
    ...hangingTable(rows, width),
    ...(found.questions.length === 0 ? [] : ['', 'Not certain:']),
    ...found.questions.map(({ field, why }) => printable(`  ${field}: ${why}`)),
    ...(found.unused.length === 0 ? [] : ['', 'Not used:']),
    ...unusedLines(found).map((line) => `  ${printable(line)}`),
    '',
  ];
}

function row({ field, mapping, reason }: Proposal, sure: string): readonly string[] {
  return [field, shown(mapping), sure, printable(reason)];
}

function shown(mapping: FieldMapping): string {
  return printable(renderField(mapping), 80);
}

/** Beside each field how it came to be there; behind the last what is open, as lines to be uncommented. */
function comments({ byName, used, questions, unused }: Discovered, { answered }: Settled): MappingComments {
  const fields = new Map<string, string>([
    ...byName.map(({ field }) => [field, 'the column bears its name'] as const),
    ...used.map(({ field, confidence, reason }) => [field, `${percent(confidence)}: ${reason}`] as const),
    ...questions
      .filter(({ field }) => answered.has(field))
      .map(({ field, why }) => [field, `chosen: ${why}`] as const),
  ]);
  const open = questions.filter(({ field }) => !answered.has(field));
  return {
    fields,
    end: [
      ...open.flatMap(({ field, why, options }: Question) => [
        `Not certain: ${field}, ${why}.`,
        ...options.map(
          ({ mapping, confidence }) => `${field}: ${renderField(mapping)}   # ${percent(confidence)}`,
        ),
      ]),
      ...unusedLines({ unused }).map((line) => `Not used: ${line}.`),
    ],
  };
}

/** One line a reason. */
function unusedLines({ unused }: Pick<Discovered, 'unused'>): readonly string[] {
  const reasons = [...new Set(unused.map(({ why }) => why))];
  return reasons.map((why) => {
    const names = unused.filter((each) => each.why === why).map(({ column }) => `"${column}"`);
    return `${names.join(', ')} (${why})`;
  });
}

function asJson(
  { contract, type, found, name }: ProposedMapping,
  { document, variant, open }: Settled,
  saved: string | undefined,
  exitCode: number,
): object {
  const certain: readonly (Proposal & { readonly how: string })[] = [
    ...found.byName.map(({ field, column }) => ({
      field,
      mapping: { column },
      columns: [column],
      confidence: 1,
      reason: 'the column bears its name',
      how: 'name',
    })),
    ...found.used.map((each) => ({ ...each, how: 'discovered' })),
  ];
  const told: { type: RecordType; why: string } = { type: contract.type, why: type.why };
  return {
    source: name,
    ...told,
    ...(variant === undefined ? {} : { variant }),
    fields: certain,
    questions: found.questions,
    open,
    unused: found.unused,
    mapping: document,
    ...(saved === undefined ? {} : { saved }),
    exitCode,
  };
}

function closing(
  request: PlanRequest,
  file: string,
  target: string | undefined,
  { open }: Settled,
): readonly string[] {
  const lacks = open.length === 0 ? [] : [`Still open, and required: ${open.join(', ')}.`];
  if (target === undefined) {
    const command = request.suggest('map', file, ...repeatedOptions(request), '--save');
    return [...lacks, `Nothing was saved. To save it: ${command}`];
  }
  const use = request.suggest('upload', file, '-m', target);
  return [
    ...lacks,
    `Saved as ${printable(target)}.`,
    open.length === 0 ? `To use it: ${use}` : `Fill in what is open, then: ${use}`,
  ];
}
