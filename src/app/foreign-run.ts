/**
 * Protects against run folders from other people. The API key is sent only to an address that this user has configured,
 * used or confirmed. A transform runs only if this user started the run or confirms it (delivery.md, "Journal").
 *
 * A list in the state folder says which runs this user has started or resumed, with one line for each time that a process works on
 * a run.
 */
import path from 'node:path';
import { openAppend } from '../journal/append-file.ts';
import { makeFolder } from '../journal/file-system.ts';
import { decodeLine, encodeLine, linesIfExists } from '../journal/lines.ts';
import type { StoredRun } from '../journal/run-file.ts';
import { printable } from '../lib/printable.ts';
import { once, withResources } from '../lib/resources.ts';
import type { Suggest } from '../lib/shell.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import { keyAddress } from '../options/api-key.ts';
import { parseOption } from '../options/option-spec.ts';
import { parseBaseUrl } from '../options/parse-values.ts';
import { readProfiles } from '../options/profiles.ts';
import { requestedProfile } from '../options/resolve-settings.ts';
import { stateFolder } from '../options/state-folder.ts';
import { connectionOptions, createSuggest, destinationOptions, type Repeated } from '../options/suggest.ts';
import { Cancelled } from '../questions/question.ts';
import { replaceOption } from '../report/next-step.ts';
import type { Surroundings } from './context.ts';
import type { OpenedRun, ReopenedRun } from './open-run.ts';
import { stateProblem } from './run-claims.ts';

/**
 * The base URL to which the run sends, or `--base-url`. Asks for confirmation if needed.
 *
 * @throws Cancelled if the user says no, ProblemError `resume.elsewhere` without a terminal, `settings.value` for http://
 */
export async function confirmBaseUrl(
  context: Surroundings,
  { folder, file, firstUrl, words, suggest, request }: OpenedRun<ReopenedRun>,
): Promise<string> {
  const { given, settings, origins, yes = false } = request;
  const current = parseOption('baseUrl of the run', file.baseUrl, (text) => parseBaseUrl(text, given));
  const flag = origins['baseUrl'] === 'flag' ? settings.baseUrl : undefined;
  if (flag !== undefined && flag !== current) {
    await assertConfirmed(context, yes, {
      code: 'resume.elsewhere',
      situation: `This run sends to ${current}.`,
      question: `Send the rest to ${flag}?`,
      refusal: `Sending the rest to ${flag} needs your confirmation.`,
      hint: `To send it there: \`${suggest(...words, '--yes')}\`. Without --base-url, the rest goes to ${current}.`,
    });
    return flag;
  }
  const configured = (await keyAddress(given)) ?? settings.baseUrl;
  if (configured === current) return current;
  // The first upload went there without a question (`upload --run-id`).
  if (flag === current && words[0] === 'upload') return current;
  // The user has sent the run there, and names the address again or has these settings still.
  const isSame = flag === current || configured === undefined || configured === firstUrl;
  if (isSame && (await isOwnRun(context, { folder, file }))) return current;
  const others = words.filter((word) => word !== '--yes');
  const to = (url: string): string => `\`${suggest(...replaceOption(others, '--base-url', url, '--yes'))}\`. `;
  await assertConfirmed(context, yes && flag !== undefined, {
    code: 'resume.elsewhere',
    situation: `This run sends to ${current}, ${configured === undefined ? 'and no service URL is configured' : `but the configured service is ${configured}`}.`,
    question: `Send your API key and the rest of the rows to ${current}?`,
    refusal: `Sending your API key to ${current} needs your confirmation.`,
    hint: `${configured === undefined ? '' : `To send to ${configured}: ${to(configured)}`}If you trust ${current}: ${to(current)}`.trim(),
  });
  return current;
}

/** Makes builders of commands about runs, which connect to the service as the run did if this user started it. */
export function suggestsAbout(context: Surroundings, options: Repeated): (run: StoredRun) => Promise<Suggest> {
  const profileInUse = once(async () => requestedProfile(context) ?? (await readProfiles(context.env)).current);
  const findOwn = once(() => ownRuns(context));
  return async ({ folder, file }) => {
    const { sandbox, profile, argv, baseUrl } = file;
    const typed = sandbox ? {} : connectionOptions(argv);
    const isTyped = Object.values(typed).some((value) => value !== undefined);
    const repeated = isTyped && (await findOwn()).has(keyOf({ folder, file })) ? typed : {};
    // A resume may have gone to another address since.
    const connection = repeated.baseUrl === undefined ? repeated : { ...repeated, baseUrl };
    const isInUse = profile === (await profileInUse());
    const destination = { ...destinationOptions(file), profile: options.profile ?? (isInUse ? undefined : profile) };
    return createSuggest(context, { ...connection, ...options }, destination);
  };
}

export async function confirmTransform(
  context: Surroundings,
  { words, suggest, ...run }: StoredRun & Pick<ReopenedRun, 'words' | 'suggest'>,
  module: string,
): Promise<void> {
  await assertConfirmed(context, await isOwnRun(context, run), {
    code: 'resume.transform',
    situation: `This run is not in your list of runs, so another user may have started it. Its transform is ${module}.`,
    question: 'Run that code?',
    refusal: 'Running its code needs your confirmation.',
    hint: `If you trust that file: \`${suggest(...words, '--transform', module)}\`.`,
  });
}

async function isOwnRun(context: Surroundings, run: StoredRun): Promise<boolean> {
  return (await ownRuns(context)).has(keyOf(run));
}

async function assertConfirmed(
  { prompts }: Surroundings,
  isConfirmed: boolean,
  { code, situation, question, refusal, hint }: Record<'code' | 'situation' | 'question' | 'refusal' | 'hint', string>,
): Promise<void> {
  if (isConfirmed) return;
  const text = printable(`${situation} ${question}`);
  const answer = await prompts?.confirm(text, { initial: false });
  if (answer === true) return;
  if (answer === false) throw new Cancelled();
  throw new ProblemError({ code, message: `${situation} ${refusal} Nothing was sent.`, hint });
}

const LIST = 'runs.ndjson';

/** Adds a run with the address to which it is about to send. Returns a warning if that failed. */
export async function addToRunList(
  state: string,
  { folder, file: { run, startedAt, baseUrl } }: StoredRun,
): Promise<readonly Problem[]> {
  const line = encodeLine({ run, folder: path.resolve(folder.path), startedAt, baseUrl });
  return withResources(async (adopt) => {
    makeFolder(state);
    const list = adopt(await openAppend(path.join(state, LIST)), (file) => file.close());
    // A leading line feed, because the last line may be incomplete.
    await list.append(`${list.length > 0 ? '\n' : ''}${line}`);
    return [];
  }).catch((error: unknown) => [stateProblem(state, error, 'Cannot add the run to the list of your runs')]);
}

/** Each run that this user has sent, or was about to send, with its folder and the address. */
async function ownRuns({ env }: Surroundings): Promise<ReadonlySet<string>> {
  const state = stateFolder(env);
  const own = new Set<string>();
  if (state === undefined) return own;
  for await (const { text } of linesIfExists(path.join(state, LIST))) {
    const { run, folder, baseUrl }: Readonly<Record<string, unknown>> = Object(decodeLine(text));
    own.add(JSON.stringify([run, folder, baseUrl]));
  }
  return own;
}

function keyOf({ folder, file: { run, baseUrl } }: StoredRun): string {
  return JSON.stringify([run, path.resolve(folder.path), baseUrl]);
}
