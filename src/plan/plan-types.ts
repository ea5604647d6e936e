import type { MappingDocument } from '../map/index.ts';
import type { Problem } from '../model/problem.ts';
import type { PrepareJob } from '../prepare/index.ts';
import type { RepeatedRequest } from '../questions/continue-commands.ts';
import type { MappingProposal } from '../questions/mapping-proposal.ts';
import type { LoadedRowFunction, RowFunctionRequest } from './row-function-worker.ts';

export interface PlanRequest extends RepeatedRequest, RowFunctionRequest {
  /** Whether files that cannot be opened, read or mapped are left out. */
  readonly skipBadFiles?: boolean | undefined;
  /** The name of `-`. Default: `stdin`. */
  readonly stdinName?: string | undefined;
  /** Clauses: why `type` and the variant of `mapping` are these, if no option requests them. */
  readonly why?: { readonly type: string; readonly variant?: string | undefined } | undefined;
  readonly mapFile?: string | undefined;
  /** Whether the files are rejects of a run. These are written in one form, whatever the mapping says of its input. */
  readonly areRejects?: boolean | undefined;
  /** A mapping that the user has completed. It replaces the mapping file and the options that map fields. */
  readonly mapping?: MappingDocument | undefined;
  readonly batchSize: number;
  readonly maxBytes: number;
  readonly skip: number;
  readonly limit: number;
  readonly engine?: PrepareJob['engine'] | undefined;
  /**
   * Whether the caller asks the user about a guessed encoding (`guessed` of the plan) before anything is
   * sent. Otherwise a guess is a problem.
   */
  readonly mayAsk?: boolean | undefined;
  /** Called when a pipe has sent nothing for a while. */
  readonly onWait?: ((name: string) => void) | undefined;
}

export interface Plan {
  readonly job: PrepareJob;
  readonly mapping: MappingDocument;
  /** Whether the automatic mapping uses or leaves out columns that do not match by name. */
  readonly isGuess: boolean;
  readonly transform?: LoadedRowFunction | undefined;
  readonly skipped: readonly Problem[];
  /** The automatic mapping. Undefined if an input, such as a pipe, cannot be opened again after a user has changed it. */
  readonly proposal?: MappingProposal | undefined;
  /** Fields that the automatic mapping leaves out, although a column might be them. */
  readonly warnings: readonly Problem[];
  /** Sentences about what was detected and chosen for all inputs. */
  readonly description: readonly string[];
  /** The same in one line, and a line for each thing that is not usual. */
  readonly brief: readonly string[];
  readonly inputs: readonly { readonly name: string; readonly description: readonly string[] }[];
  readonly guessed: MappingProposal['guessed'];
}

/** Closes the inputs, and with them the module of `--transform`. */
export async function closePlan({ job }: Plan): Promise<void> {
  for (const { source } of job.inputs) await source.close();
}
