/** The kinds of rounds: what is uploaded, and at which moments the program is killed. One entry a kind. */
import type { ChildProcess } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { readRun } from '../../src/journal/read-journal.ts';
import type { RecordType } from '../../src/model/record.ts';
import { at, run, runInProcess, start, write } from '../support/program.ts';
import { workbookOf } from '../support/workbook.ts';
import { zipOf } from '../support/zip.ts';
import { hasBegun, judgeKill, type Kill, keptNames, runFolders } from './judge.ts';
import { between } from './random.ts';
import { type Rows, rowsOf } from './rows.ts';
import type { Chances, World } from './world.ts';

export interface Scene {
  /** Of the kind. */
  readonly name: string;
  readonly cwd: string;
  readonly world: World;
  readonly random: () => number;
  readonly type: RecordType;
}

export interface Play {
  /** The command that is killed first; `resume` follows. */
  readonly first: readonly string[];
  /** The folder where it and what follows are started. Absent: that of the scene. */
  readonly cwd?: string;
  /** The run that it continues. Absent if it begins one. */
  readonly folder?: string;
  /** What each resume selects. */
  readonly selection?: readonly string[];
  /** Writes into the program's stdin until it has written everything, or the program is gone. */
  readonly feed?: (child: ChildProcess) => Promise<void>;
  /** Rows of all inputs; absent where it depends on the moment of the kill. */
  readonly rows?: number;
  /** Kills that came before. */
  readonly kills?: readonly Kill[];
  /** Names that must have arrived, or be listed, at the end of the run in the folder. */
  readonly valid: (folder: string) => Promise<readonly string[]>;
  /** Names of events that may have arrived before `--unknown` was given: each time, they may arrive once more. */
  readonly unknown?: ReadonlySet<string>;
  /** Uploads of other runs that go on meanwhile. Ends them before the judge comes, and returns their folders. */
  readonly endOthers?: () => Promise<readonly string[]>;
  /** Names that other runs send. */
  readonly others?: readonly string[];
  /** What else must be true at the end. */
  readonly atEnd?: () => Promise<void>;
}

export interface Kind {
  readonly name: string;
  /** Absent: both in turn. */
  readonly type?: RecordType;
  readonly chances: Chances;
  readonly prepare: (scene: Scene, options: readonly string[]) => Promise<Play>;
  /** Resolves when it is time to kill. */
  readonly moment: (scene: Scene) => Promise<void>;
}

const USUAL: Chances = { wait: 0.05, waitS: '0.2' };

/** Some kills fall into the beginning, before the first request; most into the middle. */
const anywhere: Kind['moment'] = ({ world, random }) =>
  random() < 0.15
    ? sleep(between(random, 50, 900))
    : world.when('request', between(random, 1, 14), between(random, 0, 60));

const all = (rows: readonly Rows[]): Pick<Play, 'rows' | 'valid'> => ({
  rows: rows.reduce((sum, one) => sum + one.rows, 0),
  valid: async () => rows.flatMap(({ valid }) => valid),
});

async function oneFile({ cwd, type, random }: Scene, options: readonly string[], every = 977): Promise<Play> {
  const rows = rowsOf(type, between(random, 300, 2500), 1, every);
  await write(cwd, 'in.csv', rows.csv);
  return { first: ['upload', 'in.csv', ...options], ...all([rows]) };
}

/** Plays an upload to its end, with a service that misbehaves in one way. Returns its folder. */
async function finish(
  { cwd, world }: Scene,
  upload: readonly string[],
  instead: World['instead'],
  exitCode: number,
): Promise<string> {
  world.instead = instead;
  const ended = await runInProcess(cwd, [...upload, '--setting', 'canary=no'], { env: at(world.there) });
  if (ended.code !== exitCode) throw new Error(`the first pass ended with ${ended.code}: ${ended.stderr}`);
  world.instead = undefined;
  const [folder = ''] = await runFolders(cwd);
  return folder;
}

/** Files as programs write them, from the rows. */
const PACKED: Readonly<Record<string, readonly [file: string, bytesOf: (rows: Rows) => string | Buffer]>> = {
  'of CSV, compressed': ['in.csv.gz', ({ csv }) => gzipSync(csv)],
  'of CSV in an archive': ['in.zip', ({ csv }) => zipOf([{ path: 'in.csv', bytes: csv }])],
  'of NDJSON': ['in.ndjson', ({ objects }) => ndjsonOf(objects)],
  'of NDJSON, compressed': ['in.ndjson.gz', ({ objects }) => gzipSync(ndjsonOf(objects))],
  'of a JSON array': ['in.json', ({ objects }) => JSON.stringify(objects, null, 1)],
  'of a JSON array, compressed': ['in.json.gz', ({ objects }) => gzipSync(JSON.stringify(objects))],
  'of a workbook': [
    'in.xlsx',
    ({ objects }) =>
      workbookOf([
        { name: 'Rows', rows: [Object.keys(objects[0] ?? {}), ...objects.map((one) => Object.values(one))] },
      ]),
  ],
};

function ndjsonOf(objects: Rows['objects']): string {
  return objects.map((one) => `${JSON.stringify(one)}\n`).join('');
}

async function packedFile({ cwd, type, random, name }: Scene, options: readonly string[]): Promise<Play> {
  const [file, bytesOf] = PACKED[name.replace(/^a file /, '')] ?? [];
  if (file === undefined || bytesOf === undefined) throw new Error(`no such file: ${name}`);
  const rows = rowsOf(type, between(random, 300, 2500), 1, 977);
  await write(cwd, file, bytesOf(rows));
  return { first: ['upload', file, ...options], ...all([rows]) };
}

/** A second upload goes on meanwhile, of rows that are in both files. It is not killed. */
async function overlapping(
  { cwd, world, random }: Scene,
  options: readonly string[],
  elsewhere: readonly string[],
): Promise<Play> {
  const rows = rowsOf('social', between(random, 800, 2500), 1, Number.POSITIVE_INFINITY);
  const other = rowsOf('social', between(random, 800, 2500), between(random, 1, 700), Number.POSITIVE_INFINITY);
  await write(cwd, 'in.csv', rows.csv);
  await write(cwd, 'other.csv', other.csv);
  const env = at(world.there);
  const { ended } = start(cwd, ['upload', 'other.csv', '--run-id', 'other', ...elsewhere, ...options], { env });
  const folder = path.join(cwd, elsewhere[1] ?? 'signals-runs', 'other');
  // The other one is the older run.
  await Promise.race([ended, expect.poll(() => hasBegun(folder)).toBe(true)]);
  return {
    first: ['upload', 'in.csv', ...options],
    ...all([rows]),
    others: other.valid,
    async endOthers() {
      let { code, stderr } = await ended;
      // A breaker or a wait may have stopped it.
      if (code === 6) ({ code, stderr } = await run(cwd, ['resume', folder, ...options], { env }));
      expect([0, 3, 4], stderr).toContain(code);
      return [folder];
    },
  };
}

function resuming(play: Play, folder: string, selection: readonly string[], options: readonly string[]): Play {
  return { ...play, folder, selection, first: ['resume', path.basename(folder), ...selection, ...options] };
}

export const kinds: readonly Kind[] = [
  { name: 'a file', chances: USUAL, prepare: oneFile, moment: anywhere },
  {
    name: 'during a split',
    chances: USUAL,
    prepare: (scene, options) => oneFile(scene, options, 211),
    moment: ({ world, random }) => world.when('split', between(random, 1, 9), between(random, 0, 25)),
  },
  {
    name: 'during a 429 wait',
    chances: { wait: 0.15, waitS: '0.5' },
    prepare: oneFile,
    moment: ({ world, random }) => world.when('wait', between(random, 1, 2), between(random, 0, 500)),
  },
  {
    name: 'while stdin is read',
    chances: USUAL,
    async prepare({ type, random }, options) {
      const rows = rowsOf(type, between(random, 9000, 11_000), 1, 977, true);
      return {
        first: ['upload', '-', '--type', type, ...options],
        async feed({ stdin }) {
          if (stdin === null) throw new Error('there is no stdin to write into');
          stdin.on('error', () => undefined);
          const bytes = Buffer.from(rows.csv);
          // The head at once, so that the upload begins; the rest as an export would come, never at a row's end.
          let at = 270_000;
          stdin.write(bytes.subarray(0, at));
          while (at < bytes.length && !stdin.destroyed && stdin.writable) {
            const next = at + between(random, 500, 3000);
            stdin.write(bytes.subarray(at, next));
            at = next;
            await sleep(10);
          }
          stdin.end();
        },
        // A kill before the journal begins leaves a folder that is not the run's.
        async valid(folder) {
          const spool = await readFile(path.join(folder, 'stdin.spool'), 'utf8').catch(() => rows.csv);
          const whole = spool.slice(0, spool.lastIndexOf('\n') + 1).split('\n').length - 2;
          // Names are numbered in the order of the rows.
          return rows.valid.filter((name) => Number(/\d+/.exec(name)?.[0]) <= whole);
        },
      };
    },
    moment: anywhere,
  },
  {
    name: 'resume --refused of a finished run',
    chances: USUAL,
    async prepare(scene, options) {
      const { random } = scene;
      const play = await oneFile(scene, options);
      let requests = 0;
      // The first is refused, so that there is something to resume.
      const refused: World['instead'] = () => (requests++ === 0 || random() < 0.7 ? { status: 409 } : undefined);
      const folder = await finish(scene, play.first, refused, 3);
      return resuming(play, folder, ['--refused'], options);
    },
    moment: anywhere,
  },
  {
    name: 'resume --unknown of social events',
    type: 'social',
    chances: USUAL,
    async prepare(scene, options) {
      const { random } = scene;
      const play = await oneFile(scene, options);
      let requests = 0;
      const lost: World['instead'] = () => {
        if (requests++ > 0 && random() < 0.6) return undefined;
        return random() < 0.5 ? { status: 500 } : { status: 500, processed: true };
      };
      const folder = await finish(scene, play.first, lost, 4);
      const { unknown } = await keptNames(folder, 'social');
      const resumed = resuming(play, folder, ['--unknown'], options);
      // What is asked for once is not asked for again by a resume that continues it.
      return { ...resumed, unknown, selection: random() < 0.5 ? ['--unknown'] : [] };
    },
    moment: anywhere,
  },
  {
    name: 'hand-over',
    chances: USUAL,
    async prepare(scene, options) {
      const { cwd, world, random } = scene;
      const { there } = world;
      const play = await oneFile(scene, options);
      const { child, ended } = start(cwd, play.first, { env: at(there) });
      const isKilled = await Promise.race([
        ended.then(() => false),
        world.when('request', between(random, 1, 5), between(random, 0, 30)).then(() => child.kill('SIGKILL')),
      ]);
      await ended;
      await sleep(120);
      const [folder = ''] = await runFolders(cwd);
      const kills = isKilled ? [await judgeKill(there, folder, 'before the hand-over')] : [];
      const id = path.basename(folder);
      const packed = await runInProcess(cwd, ['runs', 'pack', id, '--to', 'run.tar.gz', '--hand-over', '--yes']);
      expect(packed.code, packed.stderr).toBe(0);
      const { state } = await readRun(folder, false);
      const attempts = [
        ['resume', id, '--refused', '--unknown', ...options],
        ...(state === 'complete' ? [] : [play.first]),
      ];
      const refuses = async (): Promise<void> => {
        const before = there.requests().length;
        for (const args of attempts) {
          const refused = await runInProcess(cwd, args, { env: at(there) });
          expect(refused.code, refused.stdout).toBe(2);
        }
        expect(there.requests()).toHaveLength(before);
      };
      await refuses();
      const elsewhere = path.join(cwd, 'elsewhere');
      await mkdir(elsewhere);
      const archive = path.join(cwd, 'run.tar.gz');
      return { ...play, cwd: elsewhere, first: ['resume', archive, ...options], kills, atEnd: refuses };
    },
    // The first moments fall into the unpacking.
    moment: ({ world, random }) =>
      random() < 0.4 ? sleep(between(random, 50, 900)) : world.when('request', between(random, 1, 4), 0),
  },
  {
    name: 'several files',
    chances: USUAL,
    async prepare({ cwd, type, random }, options) {
      const files: Rows[] = [];
      const names: string[] = [];
      for (const name of ['one.csv', 'two.csv', 'three.csv', 'four.csv']) {
        const rows = rowsOf(type, between(random, 1, 800), files.length * 10_000 + 1, 977);
        files.push(rows);
        names.push(await write(cwd, name, rows.csv));
      }
      return { first: ['upload', ...names, ...options], ...all(files) };
    },
    moment: anywhere,
  },
  ...Object.keys(PACKED).map(
    (name): Kind => ({ name: `a file ${name}`, chances: USUAL, prepare: packedFile, moment: anywhere }),
  ),
  ...[false, true].map(
    (isElsewhere): Kind => ({
      name: `overlapping files${isElsewhere ? ' in two runs folders' : ''}`,
      type: 'social',
      chances: USUAL,
      prepare: (scene, options) => overlapping(scene, options, isElsewhere ? ['--out', 'other-runs'] : []),
      moment: anywhere,
    }),
  ),
  {
    name: 'a resume after a later run that delivered the same rows',
    type: 'social',
    chances: USUAL,
    async prepare(scene, options) {
      const { cwd, world, random } = scene;
      const every = Number.POSITIVE_INFINITY;
      const rows = rowsOf('social', between(random, 1500, 2500), 1, every);
      await write(cwd, 'in.csv', rows.csv);
      const play: Play = { first: ['upload', 'in.csv', ...options], ...all([rows]) };
      const before = between(random, 1, 3);
      const folder = await finish(scene, play.first, ({ n }) => (n > before ? { status: 401 } : undefined), 5);
      // A part of the rest, so that the resume still has several batches to send.
      const later = rowsOf('social', between(random, 200, 900), between(random, 1, rows.rows), every);
      await write(cwd, 'later.csv', later.csv);
      const sent = await runInProcess(cwd, ['upload', 'later.csv', ...options], { env: at(world.there) });
      expect([0, 3, 4], sent.stderr).toContain(sent.code);
      return { ...resuming(play, folder, [], options), others: later.valid };
    },
    // The first moments fall into the claiming.
    moment: ({ world, random }) =>
      random() < 0.3
        ? sleep(between(random, 50, 500))
        : world.when('request', between(random, 1, 4), between(random, 0, 40)),
  },
  {
    name: 'while the list of delivered records is written',
    chances: USUAL,
    async prepare({ cwd, type, random, world }, options) {
      const skipping = [...options, '--skip-delivered'];
      // Without poison: a first batch of nothing else would be a canary that is not taken.
      const first = rowsOf(type, between(random, 200, 900), 1, Number.POSITIVE_INFINITY);
      const both = rowsOf(type, first.rows + between(random, 100, 900), 1, Number.POSITIVE_INFINITY);
      await write(cwd, 'first.csv', first.csv);
      await write(cwd, 'both.csv', both.csv);
      // An upload of the first part, killed when its last answers come and its list is written.
      const { child, ended } = start(cwd, ['upload', 'first.csv', ...skipping], { env: at(world.there) });
      const batches = Math.ceil(first.valid.length / 100);
      const killed = await Promise.race([
        ended.then(() => false),
        world.when('request', batches, between(random, 0, 250)).then(() => child.kill('SIGKILL')),
      ]);
      await ended;
      const kills: Kill[] = [];
      const [folder] = await runFolders(cwd);
      if (killed && folder !== undefined && (await hasBegun(folder))) {
        await sleep(120);
        kills.push(await judgeKill(world.there, folder, 'the first part'));
        const resumed = await run(cwd, ['resume', path.basename(folder), ...options], { env: at(world.there) });
        if (![0, 3, 4].includes(resumed.code ?? 1)) {
          throw new Error(`the first part ended with ${resumed.code}: ${resumed.stderr}`);
        }
      }
      // Then all of it: what the first one delivered must not arrive again.
      return { first: ['upload', 'both.csv', ...skipping], kills, valid: async () => both.valid };
    },
    moment: anywhere,
  },
];
