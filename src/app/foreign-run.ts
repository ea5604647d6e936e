/**
 * Protects against run folders from other people. The API key is sent only to an address that this user has configured,
 * used or confirmed. A transform runs only if this user started the run or confirms it (delivery.md, "Journal").
 */
import path from 'node:path';
import type { RunFile } from '../journal/run-file.ts';
import type { RunFolder } from '../journal/run-folder.ts';
import { printable } from '../lib/printable.ts';
import type { Suggest } from '../lib/shell.ts';
import { ProblemError } from '../model/problem.ts';
import { keyAddress } from '../options/api-key.ts';
import { parseOption } from '../options/option-spec.ts';
import { parseBaseUrl } from '../options/parse-values.ts';
import { stateFolder } from '../options/state-folder.ts';
import { connectionOptions, createSuggest, destinationOptions, type Repeated } from '../options/suggest.ts';
import { readRunList } from '../stored-runs/run-list.ts';
import type { Surroundings } from './context.ts';
import type { ReopenedRun } from './send-request.ts';

/**
 * The base URL of the run, or `--base-url`. Asks for confirmation if needed.
 *
 * @throws ProblemError `resume.elsewhere` if the user declines, `settings.value` if the run's URL is http://
 */
export async function confirmBaseUrl(
  context: Surroundings,
  { folder, runFile, words, suggest, request }: ReopenedRun,
): Promise<string> {
  const { given, settings, origins, yes = false } = request;
  const began = parseOption('baseUrl in run.json', runFile.baseUrl, (text) => parseBaseUrl(text, given));
  const flag = origins['baseUrl'] === 'flag' ? settings.baseUrl : undefined;
  if (flag !== undefined && flag !== began) {
    await assertConfirmed(context, yes, {
      code: 'resume.elsewhere',
      situation: `This run was started with ${began}.`,
      question: `Send the rest to ${flag}?`,
      refusal: `Sending the rest to ${flag} needs your confirmation.`,
      hint: 'Add --yes, or leave out --base-url.',
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
    situation: `This run was started with ${began}, ${configured === undefined ? 'and no service URL is configured' : `but the configured service is ${configured}`}.`,
    question: `Send your API key and the rest of the rows to ${began}?`,
    refusal: `Sending your API key to ${began} needs your confirmation.`,
    hint: `If you trust that service: \`${suggest(...command, '--yes')}\`.`,
  });
  return began;
}

/** Builds commands about a run, which connect to its service as the run did if this user started it. */
export async function suggestAbout(
  context: Surroundings,
  options: Repeated,
  folder: RunFolder,
  runFile: RunFile,
): Promise<Suggest> {
  const { sandbox, profile, argv } = runFile;
  const connection = !sandbox && (await isOwnRun(context, folder, runFile)) ? connectionOptions(argv) : {};
  const destination = { ...destinationOptions(runFile), profile: options.profile ?? profile };
  return createSuggest(context, { ...connection, ...options }, destination);
}

/** @throws ProblemError `resume.transform` if another user started the run and this one declines */
export async function confirmTransform(
  context: Surroundings,
  { folder, runFile, words, suggest }: Omit<ReopenedRun, 'request'>,
  file: string,
): Promise<void> {
  await assertConfirmed(context, await isOwnRun(context, folder, runFile), {
    code: 'resume.transform',
    situation: `This run is not in your list of runs, so another user may have started it. Its transform is ${file}.`,
    question: 'Run that code?',
    refusal: 'Running its code needs your confirmation.',
    hint: `If you trust that file: \`${suggest(...words, '--transform', file)}\`.`,
  });
}

/** Whether this user has started or resumed the run in this folder with this base URL. */
async function isOwnRun({ env }: Surroundings, folder: RunFolder, { run, baseUrl }: RunFile): Promise<boolean> {
  const state = stateFolder(env);
  const runs = state === undefined ? [] : await readRunList(state);
  const at = path.resolve(folder.path);
  return runs.some((one) => one.folder === at && one.run === run && one.baseUrl === baseUrl);
}

async function assertConfirmed(
  { prompts }: Surroundings,
  isConfirmed: boolean,
  { code, situation, question, refusal, hint }: Record<'code' | 'situation' | 'question' | 'refusal' | 'hint', string>,
): Promise<void> {
  if (isConfirmed) return;
  const text = printable(`${situation} ${question}`);
  if (await prompts?.confirm(text, { initial: false })) return;
  throw new ProblemError({ code, message: `${situation} ${refusal} Nothing was sent.`, hint });
}
