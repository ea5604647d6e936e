/**
 * The contestants: this program with different options, the bare loop, and the peers. A contestant makes a command for a
 * task; the sink counts what it delivers.
 */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { peers } from './peers/index.mjs';

const run = promisify(execFile);
const root = path.join(import.meta.dirname, '..');
export const PROGRAM = path.join(root, 'bin', 'signals.js');
const MAPPING = path.join(import.meta.dirname, 'export.yaml');

/**
 * @typedef {object} Task
 * @property {string} url of the sink
 * @property {string} file
 * @property {string} folder empty at the start, removed afterwards
 * @property {number} rows
 * @property {number} connections
 * @property {number} batchBytes what 100 records of the file take as JSON
 *
 * @typedef {object} Contestant
 * @property {string} name
 * @property {string} about
 * @property {'plain' | 'distinct' | 'export' | 'ndjson' | undefined} form of the data it reads; the bare loop reads none
 * @property {boolean} sends whether it sends the rows
 * @property {number} [largest] records a request at the most, where it is not 100
 * @property {(task: Task) => import('./measure.mjs').Command} command
 */

/**
 * The environment of a run: a home in the run's folder, so that no settings of the user and no files of an earlier run
 * have an effect.
 */
export function environment(folder) {
  return {
    HOME: path.join(folder, 'home'),
    XDG_STATE_HOME: path.join(folder, 'home', 'state'),
    SIGNALS_CONFIG_DIR: path.join(folder, 'home'),
    SIGNALS_API_KEY: 'key',
    NO_COLOR: '1',
  };
}

/** `signals` with the words that a run of the benchmark needs. */
function signals(command, words) {
  return ({ url, file, folder, connections }) => ({
    file: process.execPath,
    args: [
      PROGRAM,
      command,
      file,
      '--quiet',
      ...(command === 'upload'
        ? ['--yes', '--out', path.join(folder, 'runs'), '--concurrency', String(connections)]
        : []),
      ...words,
    ],
    env: { ...environment(folder), SIGNALS_BASE_URL: url },
    cwd: folder,
  });
}

function ours(name, about, form, words = [], command = 'upload') {
  return { name, about, form, sends: command === 'upload', command: signals(command, words) };
}

/** @type {Contestant} */
const bare = {
  name: 'bare loop',
  about: 'undici posting bodies that were made before: what the sink can take from one process',
  form: undefined,
  sends: true,
  command: ({ url, rows, connections, folder }) => ({
    file: process.execPath,
    args: [path.join(import.meta.dirname, 'bare.mjs'), url, String(rows), String(connections)],
    cwd: folder,
  }),
};

/** @type {Contestant} */
const composition = {
  name: 'plain composition',
  about: 'csv-parse, zod, p-queue and undici, without journal or log',
  form: 'plain',
  sends: true,
  command: ({ url, file, connections, folder }) => ({
    file: process.execPath,
    args: [path.join(import.meta.dirname, 'composition.mjs'), file, url, String(connections)],
    cwd: folder,
  }),
};

/**
 * Everybody who can take part on this machine, and who cannot, with the reason.
 * @param {(name: string) => boolean} wanted peers are installed only if they are wanted
 * @returns {Promise<{ contestants: Map<string, Contestant>, missing: Map<string, string> }>}
 */
export async function findContestants(wanted) {
  const { stdout: help } = await run(process.execPath, [PROGRAM, 'upload', '--help']);
  const withEngines = help.includes('--setting');
  const reference = ['--setting', 'engine=reference'];
  const transforms = ['-m', MAPPING];
  const all = [
    ours('upload', 'plain columns', 'plain'),
    ours('upload, transforms', 'a domain and a date are mapped', 'export', transforms),
    ours('upload, distinct values', 'plain columns; each row has a domain and a time of its own', 'distinct'),
    ours('upload ndjson', 'numbers as numbers', 'ndjson'),
    ours('check', 'plain columns', 'plain', [], 'check'),
    ours('check, transforms', 'a domain and a date are mapped', 'export', transforms, 'check'),
    bare,
    composition,
  ];
  const engines = [
    ours('upload, reference', 'plain columns, --setting engine=reference', 'plain', reference),
    ours('upload ndjson, reference', 'numbers as numbers, --setting engine=reference', 'ndjson', reference),
    ours('check, reference', 'plain columns, --setting engine=reference', 'plain', reference, 'check'),
  ];
  const missing = new Map();
  if (withEngines) all.push(...engines);
  else for (const { name } of engines) missing.set(name, 'this version has one engine');
  for (const peer of peers.filter(({ name }) => wanted(name))) {
    try {
      process.stderr.write(`preparing ${peer.name}\n`);
      const command = await peer.prepare();
      all.push({
        name: peer.name,
        about: peer.about,
        form: peer.reads === 'csv' ? 'plain' : 'ndjson',
        sends: true,
        // Its batches are measured in bytes, so some hold a few records more.
        ...(peer.name.startsWith('helpers.bulk') ? { largest: 110 } : {}),
        command: (task) => ({
          ...command(task),
          env: environment(task.folder),
          cwd: task.folder,
        }),
      });
    } catch (error) {
      missing.set(peer.name, error.message);
    }
  }
  return { contestants: new Map(all.map((contestant) => [contestant.name, contestant])), missing };
}
