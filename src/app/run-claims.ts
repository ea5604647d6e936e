/** What keeps a record from being sent twice: claims across runs, and duplicates within a run. */
import path from 'node:path';
import { Claims, hasClaims, type Service } from '../claims/index.ts';
import { contracts } from '../contract/index.ts';
import type { RunFile, StoredRun } from '../journal/run-file.ts';
import type { Adopt } from '../lib/resources.ts';
import { messageOf } from '../lib/text.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import type { OptionValues } from '../options/option-spec.ts';
import type { OptionsOf } from '../options/option-table.ts';
import { noStateFolder } from '../options/state-folder.ts';

type RunOptions = Pick<OptionValues<OptionsOf<'check'>>, 'again' | 'dedupe' | 'skipDelivered'>;

/** A run claims its records if they are events, or signals with `--skip-delivered`, unless it goes to the sandbox. */
export function claimOptions(
  { again, dedupe, skipDelivered }: RunOptions,
  type: Service['type'],
  isSandbox: boolean,
): Pick<RunFile, 'keys' | 'dedupe' | 'skipSent'> {
  const isClaimed = !isSandbox && (skipDelivered || !contracts[type].deduplicates);
  return {
    keys: isClaimed || dedupe || undefined,
    dedupe: dedupe || undefined,
    skipSent: (isClaimed && !again) || undefined,
  };
}

export interface OpenedClaims {
  /** Undefined if the run claims nothing, or cannot. */
  readonly claims?: Claims | undefined;
  readonly warnings: readonly Problem[];
}

/** @throws ProblemError `state.folder` if that is not possible, and nothing else keeps a record from being sent twice */
export function openClaims(
  adopt: Adopt,
  state: string | undefined,
  { type, baseUrl, sandbox, keys, skipSent }: Pick<RunFile, 'type' | 'baseUrl' | 'sandbox' | 'keys' | 'skipSent'>,
): OpenedClaims {
  if (sandbox || keys === undefined) return { warnings: [] };
  try {
    if (state === undefined) throw new ProblemError(noStateFolder());
    return { claims: adopt(new Claims(state, { type, baseUrl }), async (claims) => claims.close()), warnings: [] };
  } catch (error) {
    const problem = stateProblem(state, error, 'Cannot tell what earlier runs have sent');
    if (contracts[type].deduplicates || skipSent === undefined) return { warnings: [problem] };
    const message = `${problem.message} The API documents no deduplication of events, so nothing was sent.`;
    const anyway = 'To send without it, also what earlier runs have sent, add --again.';
    throw new ProblemError({ ...problem, message, hint: [problem.hint, anyway].filter(Boolean).join(' ') });
  }
}

/** The claims on the records of a destination, for a check: it claims nothing and makes no folder. */
export function lookUpClaims(
  adopt: Adopt,
  state: string | undefined,
  options: RunOptions & { readonly sandbox?: boolean | undefined },
  { type, baseUrl }: Pick<Service, 'type'> & { readonly baseUrl: string | undefined },
): OpenedClaims {
  // The sandbox starts empty, and without a base URL the service is not known.
  const { skipSent } = claimOptions(options, type, options.sandbox === true || baseUrl === undefined);
  if (skipSent === undefined || baseUrl === undefined) return { warnings: [] };
  if (state !== undefined && !hasClaims(state, { type, baseUrl })) return { warnings: [] };
  return openClaims(adopt, state, { type, baseUrl, sandbox: false, keys: true });
}

export async function beginClaims(
  { claims, warnings }: OpenedClaims,
  state: string | undefined,
  { folder, file: { run, startedAt, type, skipSent } }: StoredRun,
  fsync: boolean,
): Promise<OpenedClaims> {
  try {
    await claims?.begin({ run, startedAt, folder: path.resolve(folder.path) }, fsync);
    return { claims, warnings };
  } catch (error) {
    const problem = stateProblem(state, error, 'Cannot record what this run sends');
    if (!contracts[type].deduplicates && skipSent !== undefined) throw new ProblemError(problem);
    return { warnings: [...warnings, problem] };
  }
}

/** Writes down what a run has sent. @returns a warning if that failed: its journal is read then */
export function finishClaims(state: string | undefined, claims: Claims): readonly Problem[] {
  try {
    claims.finish();
    return [];
  } catch (error) {
    return [stateProblem(state, error, 'Cannot save what this run has sent; a later run reads its journal instead')];
  }
}

/** For a run that another machine will finish. @throws ProblemError `pack.failed` */
export async function exportClaims(
  adopt: Adopt,
  state: string | undefined,
  { folder, file }: StoredRun,
): Promise<readonly Problem[]> {
  if (state === undefined || file.skipSent === undefined) return [];
  const { claims, warnings } = openClaims(adopt, state, file);
  try {
    await claims?.exportTo(folder.path);
    return warnings;
  } catch (error) {
    throw new ProblemError({
      code: 'pack.failed',
      message: `Cannot write what earlier runs have sent into the run folder: ${messageOf(error)}. Nothing was packed.`,
      where: folder.path,
      hint: 'Free some disk space, and check that you may write to the folder.',
    });
  }
}

export function stateProblem(state: string | undefined, error: unknown, what: string): Problem {
  const [known] = error instanceof ProblemError ? error.problems : [];
  return (
    known ?? {
      code: 'state.folder',
      message: `${what}: ${messageOf(error)}.`,
      where: state,
      hint: 'Make the folder writable, or name another one with SIGNALS_STATE_DIR.',
    }
  );
}
