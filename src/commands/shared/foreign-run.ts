/**
 * Somebody else may have written a run folder. The API key goes only to an address that this user has configured, used
 * or confirmed, and a transform runs only if this user began the run or agrees (delivery.md, "Journal").
 */
import path from 'node:path';
import type { RunFile } from '../../journal/run-file.ts';
import type { RunFolder } from '../../journal/run-folder.ts';
import { readRunList } from '../../journal/run-list.ts';
import { printable } from '../../lib/printable.ts';
import type { Suggest } from '../../lib/shell.ts';
import { ProblemError } from '../../model/problem.ts';
import { keyAddress } from '../../settings/api-key.ts';
import { parseBaseUrl } from '../../settings/parse-values.ts';
import { parseOption } from '../../settings/setting-table.ts';
import { stateFolder } from '../../settings/state-folder.ts';
import { createPrompts } from '../../terminal/prompts.ts';
import type { Context } from './command.ts';
import type { SendRequest } from './send-request.ts';

/** A run that is resumed or replayed. */
export interface ReopenedRun {
  readonly folder: RunFolder;
  readonly runFile: RunFile;
  /** The words of this command, for a suggestion. */
  readonly words: readonly string[];
}

/**
 * Where the run began, or `--base-url`; asks where the user must agree.
 *
 * @throws ProblemError `resume.elsewhere` if the user does not agree, `settings.value` if the run began at http://
 */
export async function confirmBaseUrl(
  context: Context,
  suggest: Suggest,
  request: SendRequest,
  { folder, runFile, words }: ReopenedRun,
): Promise<string> {
  const { given, settings, origins, yes } = request;
  const began = parseOption('baseUrl in run.json', runFile.baseUrl, (text) => parseBaseUrl(text, given));
  const flag = origins.base_url === 'flag' ? settings.baseUrl : undefined;
  if (flag !== undefined && flag !== began) {
    await assertConfirmed(context, yes, {
      code: 'resume.elsewhere',
      situation: `This run began at ${began}.`,
      question: `Continue at ${flag}?`,
      refusal: `It continues at ${flag} only if you confirm that.`,
      hint: 'Leave --base-url out, or add --yes.',
    });
    return flag;
  }
  const configured = (await keyAddress(given)) ?? settings.baseUrl;
  if (configured === began) return began;
  // The first upload went there without a question (`upload --run-id`).
  if (flag === began && words[0] === 'upload') return began;
  if (configured === undefined && (await isOwnRun(context, folder, runFile))) return began;
  const command = [...words.filter((word) => word !== '--yes'), ...(flag === undefined ? ['--base-url', began] : [])];
  await assertConfirmed(context, yes && flag !== undefined, {
    code: 'resume.elsewhere',
    situation: `This run began at ${began}${configured === undefined ? ', and no service URL is configured' : `; the configured service is ${configured}`}.`,
    question: `Send your API key and the rest of the rows to ${began}?`,
    refusal: `Your API key is sent to ${began} only if you confirm that.`,
    hint: `If you trust that service: \`${suggest(...command, '--yes')}\`.`,
  });
  return began;
}

/** @throws ProblemError `resume.transform` if another user began the run and this one does not agree */
export async function confirmTransform(
  context: Context,
  suggest: Suggest,
  { folder, runFile, words }: ReopenedRun,
  file: string,
): Promise<void> {
  await assertConfirmed(context, await isOwnRun(context, folder, runFile), {
    code: 'resume.transform',
    situation: `This run is not in your list of runs, and it runs the code in ${file}.`,
    question: 'Run it?',
    refusal: 'Code that a run folder names runs only if you name it too.',
    hint: `If you trust that file: \`${suggest(...words, '--transform', file)}\`.`,
  });
}

/** Whether this user began or resumed the run in this folder, at this address. */
async function isOwnRun({ env }: Context, folder: RunFolder, { run, baseUrl }: RunFile): Promise<boolean> {
  const state = stateFolder(env);
  const runs = state === undefined ? [] : await readRunList(state);
  const at = path.resolve(folder.path);
  return runs.some((one) => one.folder === at && one.run === run && one.baseUrl === baseUrl);
}

interface Confirmation {
  readonly code: string;
  readonly situation: string;
  readonly question: string;
  readonly refusal: string;
  readonly hint: string;
}

async function assertConfirmed(
  { streams, signal }: Context,
  isConfirmed: boolean,
  { code, situation, question, refusal, hint }: Confirmation,
): Promise<void> {
  if (isConfirmed) return;
  const text = printable(`${situation} ${question}`);
  if (streams.interactive && (await createPrompts(streams, signal).confirm(text, { initial: false }))) return;
  throw new ProblemError({ code, message: `${situation} ${refusal} Nothing was sent.`, hint });
}
