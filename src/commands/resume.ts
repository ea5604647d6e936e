/** `signals resume`: goes on with a run that was stopped, interrupted or killed, from where its journal ends. */
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { contracts } from '../contract/index.ts';
import type { DecodeOptions } from '../decode/index.ts';
import { findRun } from '../journal/find.ts';
import type { RunFolder } from '../journal/folder.ts';
import { lockRun } from '../journal/lock.ts';
import { type Recovered, readJournal, type Unsettled } from '../journal/read.ts';
import { type RunFile, readRunFile } from '../journal/run.ts';
import { keptInputs, openKeeper } from '../keep.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import type { Resume, Unfinished } from '../pipeline.ts';
import { makePlan, type Plan } from '../plan.ts';
import type { ResumePoint } from '../prepare.ts';
import { describeProblem } from '../report/issue.ts';
import { printable } from '../report/printable.ts';
import { createReasons } from '../report/reasons.ts';
import { exitCodeOf } from '../report/summary.ts';
import { digestOf } from '../row-function.ts';
import { resolveKey } from '../settings/key.ts';
import { resolveSettings } from '../settings/resolve.ts';
import { duration } from '../settings/values.ts';
import { createPrompts } from '../terminal/prompts.ts';
import type { Command, Context, Options } from './command.ts';
import { openDestination } from './destination.ts';
import {
  deliveryOptions,
  failOn,
  list,
  outputOptions,
  parsed,
  serviceOptions,
  settingFlags,
  text,
} from './options.ts';
import { send } from './send.ts';

export const resume = {
  name: 'resume',
  arguments: '[run]',
  summary: 'go on with a run that was stopped, interrupted or killed',
  options: [
    ...serviceOptions,
    ...deliveryOptions,
    { flags: '--input <old=new>', about: 'an input has moved; repeatable', repeat: true, group: 'Reading:' },
    ...outputOptions,
  ],
  more: [
    'RUN is an id, an unambiguous part of it, a folder, or "last". What was delivered is not sent again.',
    '',
    'Examples:',
    '  signals resume last',
    '  signals resume 20261120T091502Z-funding-3f9a --rate 5/s',
  ].join('\n'),
  run,
} satisfies Command;

async function run(context: Context, args: readonly string[], options: Options): Promise<number> {
  const { streams, env, invocation } = context;
  const asked = {
    flags: settingFlags(options),
    apiKeyFile: text(options, 'apiKeyFile'),
    profile: text(options, 'profile'),
    allowHttp: options['allowHttp'] === true,
    env,
    invocation,
  };
  const { settings, warnings } = await resolveSettings(asked);
  const judged = failOn(options);
  const graceMs = parsed(options, 'grace', '--grace', duration({ least: '0s', most: '1h' })) ?? 20_000;
  const folder = await findRun(settings.out, wantedRun(context, args));
  const runFile = await readRunFile(folder.path);

  const lock = await lockRun(folder.path);
  try {
    const plan = await planAgain(context, options, folder, runFile);
    try {
      const keeper = await openKeeper(folder, keptInputs(plan.job.inputs), {
        fsync: options['fsync'] === true,
      });
      const reasons = createReasons();
      const recovered = await readJournal(path.join(folder.path, 'journal.ndjson'), (event) => {
        reasons.on(event);
        void keeper.log(event);
      });
      if (isDone(recovered, settings.onUnknown === 'resend')) {
        await keeper.close();
        return alreadyDone(context, folder, recovered);
      }
      const { job, state } = goingOn(plan, runFile, recovered, settings.onUnknown === 'resend');
      const { bytes } = recovered;
      await keeper.goOn({ bytes, rejects: state.rejects, reopened: new Set(state.unsettled.keys()) });

      const baseUrl = await destinationOf(context, options, runFile, settings.baseUrl);
      const target = await openDestination(context, { sandbox: runFile.sandbox, baseUrl }, () =>
        resolveKey(asked),
      );
      try {
        const all = [...warnings, ...target.warnings];
        if (options['quiet'] !== true) {
          for (const warning of all) {
            streams.err(`${streams.style.err.yellow('warning')}: ${describeProblem(warning)}\n`);
          }
          const where = runFile.sandbox ? 'a new sandbox on this machine' : target.baseUrl;
          streams.err(`${printable(`Going on with ${folder.id}, to ${where}.`)}\n`);
        }
        return await send(context, options, {
          plan: { ...plan, job },
          settings,
          target,
          keeper,
          reasons,
          resume: state,
          graceMs,
          judged,
          warnings: all,
          out: text(options, 'out'),
          optionsAgain: [
            ...(plan.transform === undefined ? [] : ['--transform', plan.transform.file]),
            ...(runFile.sandbox ? ['--sandbox'] : ['--base-url', target.baseUrl]),
          ],
        });
      } finally {
        await target.close();
      }
    } finally {
      for (const { source } of plan.job.inputs) await source.close();
    }
  } finally {
    await lock.release();
  }
}

function wantedRun({ streams, invocation }: Context, [run]: readonly string[]): string {
  if (run !== undefined) return run;
  if (streams.interactive) return 'last';
  throw new ProblemError({
    code: 'usage',
    message: 'Without a terminal, resume needs the name of a run.',
    hint: `\`${invocation} resume last\` goes on with the last one.`,
  });
}

/** The plan of the run as it was, made anew from run.json and the mapping in its folder. */
async function planAgain(
  context: Context,
  options: Options,
  folder: RunFolder,
  runFile: RunFile,
): Promise<Plan> {
  const moved = new Map(list(options, 'input').map((word) => splitAt(word)));
  const files = runFile.inputs.map(({ source, path: file }) => {
    // A pipe's bytes are in the run folder.
    const given = moved.get(source) ?? moved.get(file ?? '') ?? file;
    return given ?? path.join(folder.path, 'stdin.spool');
  });
  const faults: Problem[] = [];
  for (const [index, file] of files.entries()) {
    const { source, bytes } = runFile.inputs[index] ?? { source: file };
    const size = await stat(file).then(
      (stats) => stats.size,
      () => undefined,
    );
    if (size !== undefined && bytes !== undefined && size !== bytes) {
      faults.push(changed(source, `it had ${bytes} bytes, and has ${size} now`, context.invocation));
    }
  }
  const { transform } = runFile;
  const transformFile = transform && (moved.get(transform.path) ?? transform.path);
  // Before it is loaded: a function that has changed is not even run.
  if (transformFile !== undefined && (await digestOf(transformFile)) !== transform?.digest) {
    faults.push(changed(transformFile, 'its digest is another one', context.invocation, 'transform'));
  }
  if (faults.length > 0) throw new ProblemError(faults);

  const { decode, batchSize, maxBytes, skip, limit = Number.POSITIVE_INFINITY, type, variant } = runFile;
  const plan = await makePlan(
    {
      files,
      type,
      variant: variant ?? 'auto',
      mapFile: path.join(folder.path, 'mapping.yaml'),
      columns: [],
      constants: [],
      ...(transformFile === undefined ? {} : { transformFile }),
      decode: defined(decode),
      batchSize,
      maxBytes,
      skip,
      limit,
      // A guessed encoding was agreed to when the run began, and the same head leads to the same guess.
      mayAsk: true,
    },
    context.streams.stdin,
  );
  for (const [index, { source, recognised }] of plan.job.inputs.entries()) {
    const before = runFile.inputs[index];
    const head = createHash('sha256').update(source.head).digest('hex');
    if (before === undefined || before.head !== head) {
      faults.push(changed(before?.source ?? source.name, 'its beginning is another one', context.invocation));
    } else if (before.columns.join('\n') !== recognised.columns.join('\n')) {
      faults.push(changed(before.source, 'its columns are understood otherwise', context.invocation));
    }
  }
  if (faults.length === 0) return plan;
  for (const { source } of plan.job.inputs) await source.close();
  throw new ProblemError(faults);
}

/** Without the keys whose value is undefined: zod adds them. */
function defined({
  format,
  encoding,
  delimiter,
  quote,
  headerLine,
  ...rest
}: RunFile['decode']): DecodeOptions {
  return {
    ...rest,
    ...(format === undefined ? {} : { format }),
    ...(encoding === undefined ? {} : { encoding }),
    ...(delimiter === undefined ? {} : { delimiter }),
    ...(headerLine === undefined ? {} : { headerLine }),
    ...(quote === undefined ? {} : { quote }),
  };
}

/** Where the run goes on, and with which batches. */
function goingOn(
  plan: Plan,
  runFile: RunFile,
  recovered: Recovered,
  resend: boolean,
): { job: Plan['job']; state: Resume } {
  const { ledger, cursors, rejects, rejectedRows } = recovered;
  // A pipe whose end was never read: whoever wrote into it may have died in the middle of a row.
  const inputs = plan.job.inputs.map((input, index) => {
    // Of a file that is unpacked or decoded on the way, the size is not known before its end either.
    const isPipe = runFile.inputs[index]?.path === undefined;
    const isTorn = isPipe && ledger.sources[index]?.size === undefined;
    return isTorn ? { ...input, torn: true as const } : input;
  });
  const unsettled = recovered.unsettled.flatMap((batch) =>
    again(batch, plan.job.contract.deduplicates || resend),
  );
  const from: ResumePoint = {
    cursors,
    ended: new Set(ledger.sources.flatMap(({ ended }, index) => (ended ? [index] : []))),
    sealed: recovered.cut,
    again: recovered.unsettled
      .filter(({ sealed }) => unsettled.some(({ batch }) => batch === sealed.batch))
      .map(({ sealed: { batch: id, digest, records, ranges } }) => ({ id, digest, records, ranges })),
  };
  return {
    job: { ...plan.job, inputs, from },
    state: {
      ledger,
      unsettled: new Map(unsettled.map((batch) => [batch.batch, batch])),
      rejects: { bytes: rejects, rows: rejectedRows },
    },
  };
}

/** delivery.md, "Outcomes of a batch", "what sends it again": what a resume does with a batch; nothing, or one of two. */
function again(batch: Unsettled, harmlessTwice: boolean): readonly Unfinished[] {
  const { sealed, attempts, maybeProcessed, outcome } = batch;
  if (outcome === 'unknown' && !harmlessTwice) return [];
  const { batch: id, records, bytes, ranges } = sealed;
  const then = maybeProcessed && !harmlessTwice ? 'hold' : 'send';
  return [{ batch: id, from: outcome, records, bytes, ranges, attempts, maybeProcessed, then }];
}

function isDone({ ledger, unsettled }: Recovered, resend: boolean): boolean {
  const { deduplicates } = contracts[ledger.type];
  return (
    ledger.sources.every(({ ended }) => ended) &&
    unsettled.every((batch) => again(batch, deduplicates || resend).length === 0)
  );
}

function alreadyDone({ streams }: Context, { id }: RunFolder, { ledger }: Recovered): number {
  streams.out(`${printable(id)} is complete: there is nothing left to send.\n`);
  return exitCodeOf({ ...ledger, state: 'complete' });
}

/** A run goes on where it began. Another address needs to be named, and agreed to. */
async function destinationOf(
  context: Context,
  options: Options,
  runFile: RunFile,
  configured: string | undefined,
): Promise<string> {
  const given = text(options, 'baseUrl') === undefined ? undefined : configured;
  if (given === undefined || given === runFile.baseUrl) return runFile.baseUrl;
  const question = `This run was begun at ${printable(runFile.baseUrl)}. Go on at ${printable(given)}?`;
  if (context.streams.interactive) {
    if (await createPrompts(context.streams, context.signal).confirm(question, { initial: false }))
      return given;
  } else if (options['yes'] === true) return given;
  throw new ProblemError({
    code: 'resume.elsewhere',
    message: `This run was begun at ${runFile.baseUrl}, and was not asked to go on at ${given}.`,
    hint: 'Leave --base-url out, or add --yes.',
  });
}

function splitAt(word: string): readonly [string, string] {
  const at = word.indexOf('=');
  if (at > 0 && at < word.length - 1) return [word.slice(0, at), word.slice(at + 1)];
  throw new ProblemError({ code: 'usage', message: `--input is "${word}": expected OLD=NEW.` });
}

function changed(source: string, what: string, invocation: string, subject = 'input'): Problem {
  return {
    code: 'resume.changed',
    message: `The ${subject} has changed since the run began: ${what}. Nothing was sent.`,
    where: source,
    hint: `Put it back as it was; name its new place with --input OLD=NEW; or begin a new run with \`${invocation} upload\`.`,
  };
}
