/** `signals map`: proposes a mapping for a file, asks about uncertain fields, and saves it. Sends nothing. */

import { existsSync } from 'node:fs';
import { askMapping, describeGuess, saveMapping } from '../app/ask-mapping.ts';
import { planRequest } from '../app/plan-request.ts';
import { printable } from '../lib/printable.ts';
import { flag, type OptionValues, text, under, usageError } from '../options/option-spec.ts';
import { OUTPUT, sharedOptions } from '../options/option-table.ts';
import { resolveSettings } from '../options/resolve-settings.ts';
import { type PlanRequest, proposeMapping } from '../plan/index.ts';
import {
  commandWith,
  continueLines,
  mappingFileFor,
  questionLines,
  repeatedOptions,
} from '../questions/continue-commands.ts';
import { type AcceptedAnswers, acceptProposals, trialSentence } from '../questions/interview.ts';
import { checkColumns, missingFields, openQuestions, tryMapping, withAnswers } from '../questions/mapping-proposal.ts';
import { describeVariant, howToUse, mappedLines, savedMapping } from '../questions/mapping-text.ts';
import type { Prompts } from '../questions/question.ts';
import { type Context, defineCommand } from './command.ts';

const mapOptions = {
  ...sharedOptions('map'),
  ...under(OUTPUT, {
    output: text('file', 'save the mapping to this file (default on a terminal: FILE.mapping.yaml)', { short: 'o' }),
    save: flag('save the mapping to FILE.mapping.yaml'),
    overwrite: flag('replace an existing file'),
    accept: flag('accept the first proposal for each uncertain field, if its values fit'),
  }),
};

type MapOptions = OptionValues<typeof mapOptions>;

export const command = defineCommand({
  options: mapOptions,
  more: [
    'Certain proposals are used. On a terminal you are asked about the others; otherwise they are saved as comments,',
    'unless you pass --accept. What --accept leaves out is a comment too.',
    '',
    'Examples:',
    '  signals map export.csv',
    '  signals map export.csv -c company_name=Account --set signal_source=news --save',
    "  signals map export.csv -c 'signal_title={Company} raised {Amount}' --accept --save",
  ],
  async run(context, [file], options) {
    const { prompts, suggest } = context;
    if (file === undefined) {
      throw usageError('No file to map.', `For example: \`${suggest('map', 'export.csv')}\`.`);
    }
    const { settings } = await resolveSettings({ ...context, ...options });
    const request = planRequest(context, [file], options, { settings, suggest });
    if (prompts === undefined || options.accept || file === '-') {
      return mapPrinting(context, request, options);
    }
    return mapAsking(context, prompts, request, options);
  },
});

async function mapAsking(
  context: Context,
  prompts: Prompts,
  request: PlanRequest,
  options: MapOptions,
): Promise<number> {
  const { streams } = context;
  const target = options.output ?? mappingFileFor(request.files[0] ?? '');
  const replaces = existsSync(target);
  const { proposal, answers } = await askMapping<never>(context, prompts, {
    request,
    propose: (asked) => proposeMapping(asked, streams.stdin),
    question: `${replaces ? 'Replace' : 'Save it to'} ${printable(target)}?`,
  });
  await saveMapping(target, savedMapping(proposal, answers), true);
  for (const line of [`Saved to ${target}.`, ...nextLines(request, target)]) streams.print(`${printable(line)}\n`);
  return 0;
}

async function mapPrinting({ streams }: Context, given: PlanRequest, options: MapOptions): Promise<number> {
  const { accept } = options;
  const proposed = await proposeMapping(given, streams.stdin);
  // The commands that continue read the file as it was read here.
  const [encoding] = proposed.guessed.map(({ guess }) => guess.encoding);
  const decode = { ...given.decode, encoding: encoding ?? given.decode.encoding };
  const request = { ...given, decode };
  const asGuessed = encoding === undefined ? [] : ['--encoding', encoding];
  const print = (line: string): void => streams.print(`${printable(line)}\n`);
  const { answers, leftOut }: AcceptedAnswers = accept
    ? acceptProposals(proposed)
    : { answers: new Map(), leftOut: [] };
  const proposal = withAnswers(proposed, answers);
  const questions = openQuestions(proposal, answers);
  const named = [...questions, ...leftOut.map(({ question }) => question)];
  const { name, description, type, guessed } = proposed;
  for (const line of [
    description,
    `${name}: ${proposal.contract.title}, ${type.why}.`,
    ...guessed.map(
      ({ guess }) =>
        `${name}: the encoding is a guess. ${describeGuess(guess)} If that is right, pass \`--encoding ${guess.encoding}\`.`,
    ),
    '',
    ...mappedLines(proposal, named, answers),
    '',
  ])
    print(line);
  const open = missingFields(proposal.document, proposal.contract, proposal.variant.variant);
  checkColumns(proposal);
  const trial = open.length > 0 ? undefined : tryMapping(proposal);
  const target = options.output ?? (options.save ? mappingFileFor(request.files[0] ?? '') : undefined);
  if (target !== undefined) {
    await saveMapping(target, savedMapping(proposal, answers, leftOut), options.overwrite);
  }
  const isPoor = trial !== undefined && trial.valid * 2 < trial.rows;
  const lines = [
    ...leftOut.map(({ question, why }) => `Left out: ${question.field}, because ${why}. ${howToUse(question)}`),
    ...describeVariant(proposal.variant),
    ...(trial === undefined ? [] : [trialSentence(trial)]),
    ...(target === undefined ? [] : [`Saved to ${target}.`]),
    ...(isPoor ? [POOR] : []),
    ...(questions.length === 0 ? [] : ['Open:', ...questionLines(proposal, questions)]),
    ...(open.length > 0
      ? continueLines(proposal, request, request.files[0] !== '-', target)
      : nextLines(request, target, accept ? ['--accept'] : [], asGuessed)),
  ];
  for (const line of lines) print(line);
  return open.length === 0 && !isPoor ? 0 : 2;
}

/** Such a mapping is complete and can be what the user wants, so it is saved; the exit code stops a script. */
const POOR =
  'Warning: less than half of these rows would be sent, so this command exits with 2. To map another column, pass `--column FIELD=COLUMN`; to set a value, `--set FIELD=VALUE`.';

function nextLines(
  request: PlanRequest,
  target: string | undefined,
  accept: readonly string[] = [],
  asGuessed: readonly string[] = [],
): readonly string[] {
  const [file = 'FILE'] = request.files;
  const rows = request.asking?.rowOptions ?? [];
  return target === undefined
    ? [
        'Not saved. To save it:',
        `  ${request.suggest('map', file, ...repeatedOptions(request), ...rows, ...accept, '--save')}`,
      ]
    : ['To upload with it:', `  ${commandWith(target, request, ...asGuessed)}`];
}
