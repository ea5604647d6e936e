/** What a user on a terminal decides before an upload, or before a mapping is saved: record type, encoding and mapping. */
import { writeFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { contracts } from '../contract/index.ts';
import type { EncodingGuess } from '../input/decode-types.ts';
import { printable } from '../lib/printable.ts';
import { hasCode, messageOf } from '../lib/text.ts';
import { ProblemError } from '../model/problem.ts';
import { closePlan, type Plan, type PlanRequest, planRun } from '../plan/index.ts';
import { OpenPointError, type UndecidedInput } from '../plan/undecided-input.ts';
import { savedLines } from '../questions/continue-commands.ts';
import { interview, type SettledMapping } from '../questions/interview.ts';
import { type MappingProposal, openQuestions, withGuessedEncoding } from '../questions/mapping-proposal.ts';
import { type Ask, BACK, Cancelled, type ChoiceQuestion, createAsk, type Prompts } from '../questions/question.ts';
import { nameList, wrapText } from '../report/text-layout.ts';
import type { Surroundings } from './context.ts';

interface Ready {
  readonly done: unknown;
}

interface MappingQuestions<R extends Ready> {
  readonly request: PlanRequest;
  readonly propose: (request: PlanRequest) => Promise<MappingProposal | R>;
  readonly question: string;
}

/** Asks for everything that is open. @throws Cancelled if the user stops, ProblemError as `propose` does */
export async function askMapping<R extends Ready>(
  context: Surroundings,
  prompts: Prompts,
  { request, propose, question }: MappingQuestions<R>,
): Promise<SettledMapping | R> {
  const { streams } = context;
  const ask = createAsk(prompts);
  const print = (line: string): void => streams.err(`${wrapText(line, streams.width()).join('\n')}\n`);
  let asked = request;
  let isConfirmed = false;
  for (;;) {
    const why = asked.type === request.type ? undefined : { type: 'as you chose' };
    const proposed = await proposeOrAskType(ask, print, { ...asked, why }, propose);
    if ('done' in proposed) return proposed;
    if ('chosen' in proposed) {
      asked = proposed.chosen;
      continue;
    }
    if (!isConfirmed) await confirmEncodings(context, prompts, proposed.guessed);
    isConfirmed = true;
    const proposal = withGuessedEncoding(proposed);
    for (const line of savedLines(request)) streams.err(`${printable(line)}\n`);
    const settled = await interview({
      ask,
      print,
      proposal,
      question,
      canGoBack: asked !== request,
    });
    if (settled !== BACK) return settled;
    asked = request;
  }
}

async function proposeOrAskType<R extends Ready>(
  ask: Ask,
  print: (line: string) => void,
  request: PlanRequest,
  propose: MappingQuestions<R>['propose'],
) {
  try {
    return await propose(request);
  } catch (error) {
    if (!(error instanceof OpenPointError && error.reopenable && 'fits' in error.open)) throw error;
    if (error.reading !== undefined) print(printable(error.reading));
    const chosen = await ask(typeQuestion(request, error.open), false);
    if (chosen !== BACK && chosen !== NEITHER) return { chosen };
    const message = 'These rows are neither signals nor social events. Nothing was sent or saved.';
    throw new ProblemError({ code: 'mapping.type', message, where: request.files[0] });
  }
}

const NEITHER = 'neither';

/** Which type a table has, or which other sheet of the workbook is read instead. */
function typeQuestion(
  request: PlanRequest,
  { fits, isLikely, message, table }: UndecidedInput,
): ChoiceQuestion<PlanRequest | typeof NEITHER> {
  const { sheet, otherSheets = [] } = table ?? {};
  const name = `${sheet === undefined ? '' : `sheet "${sheet}" of `}${request.files[0] ?? 'this'}`;
  const stop = { value: NEITHER, label: 'neither: stop here' } as const;
  const sheets = otherSheets.map((other) => ({
    value: { ...request, decode: { ...request.decode, sheet: other.name } },
    label: printable(`read sheet "${other.name}" instead${other.hidden ? ' (hidden)' : ''}`),
  }));
  // A sheet without a column that fits is a cover page.
  const isCover = fits.every(({ evidence }) => evidence.length === 0);
  const next = isCover ? sheets[otherSheets.findIndex(({ hidden }) => !hidden)] : undefined;
  return {
    message: printable(`What are the rows of ${name}? ${message}`),
    answers: [
      ...fits.map(({ type }) => ({ value: { ...request, type }, label: `${type}: ${contracts[type].about}` })),
      ...sheets,
      stop,
    ],
    marked: next ?? (isLikely ? undefined : stop),
  };
}

/** Asks whether guessed encodings are right, showing words of the files. @throws Cancelled if one is not */
async function confirmEncodings(
  { streams }: Surroundings,
  prompts: Prompts,
  guessed: readonly { readonly name: string; readonly guess: EncodingGuess }[],
): Promise<void> {
  for (const { name, guess } of guessed) {
    const question = `The encoding of ${printable(name)} is a guess. ${describeGuess(guess)} Is that right?`;
    if (await prompts.confirm(question)) continue;
    streams.err('Pass the right encoding with --encoding.\n');
    throw new Cancelled();
  }
}

export function describeGuess({ encoding, cells }: EncodingGuess): string {
  return `Decoded as ${encoding}, it contains ${cells.map((cell) => `"${printable(cell, 60)}"`).join(', ')}.`;
}

/**
 * A mapping that guesses anything is shown before anything is sent to a service; with `--sandbox`, only if something is open.
 *
 * @param baseUrl the service's; undefined for the sandbox
 * @throws Cancelled if the user stops, ProblemError as {@link planRun} does
 */
export async function planAsking(
  context: Surroundings,
  request: PlanRequest,
  baseUrl: string | undefined,
): Promise<Plan> {
  const { streams, prompts } = context;
  if (prompts === undefined) return planRun(request, streams.stdin);
  const settled = await askMapping(context, prompts, {
    request,
    propose: async (asked) => {
      const planned = await planOrProposal(asked, streams.stdin);
      if (!('job' in planned)) return planned;
      const { proposal, isGuess } = planned;
      const isShown = (isGuess && baseUrl !== undefined) || asked.type !== request.type;
      const isAsked = proposal !== undefined && (isShown || openQuestions(proposal, new Map()).length > 0);
      if (!isAsked) return { done: planned };
      await closePlan(planned);
      return proposal;
    },
    question: `Send ${nameList(request.files)} to ${baseUrl === undefined ? 'the sandbox on this machine' : printable(baseUrl)}?`,
  });
  if ('done' in settled) {
    await confirmEncodings(context, prompts, settled.done.guessed);
    return settled.done;
  }
  const { proposal } = settled;
  const { contract, document, type, variant } = proposal;
  const completed = { type: contract.type, mapping: document };
  return planRun({ ...request, ...completed, why: { type: type.why, variant: variant.why } }, streams.stdin);
}

async function planOrProposal(request: PlanRequest, stdin: Readable): Promise<Plan | MappingProposal> {
  try {
    return await planRun(request, stdin);
  } catch (error) {
    if (error instanceof OpenPointError && error.reopenable && 'document' in error.open) return error.open;
    throw error;
  }
}

export function existsProblem(target: string): ProblemError {
  const message = `${target} already exists and was not changed.`;
  const hint = 'Pass another name with `-o`, or pass `--overwrite`.';
  return new ProblemError({ code: 'mapping.save', message, hint });
}

/** @throws ProblemError `mapping.save`, also if the file exists and must not be replaced */
export async function saveMapping(target: string, yaml: string, overwrite = false, mode = 0o666): Promise<void> {
  try {
    await writeFile(target, yaml, { flag: overwrite ? 'w' : 'wx', mode });
  } catch (error) {
    if (hasCode(error, 'EEXIST')) throw existsProblem(target);
    const message = `Cannot save the mapping to ${target}: ${messageOf(error)}.`;
    throw new ProblemError({ code: 'mapping.save', message, hint: 'Name another file with `-o`.' });
  }
}
