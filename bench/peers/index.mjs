/**
 * The peers: other programs that send a file in batches of 100 over eight connections. Each has its configuration in a
 * folder here, and is installed into `bench/.peers/` (not in the repository) by the first benchmark that needs it. None is
 * a dependency of this project. A peer that cannot be installed is omitted, with the reason.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const INSTALL_MS = 5 * 60_000;
const here = import.meta.dirname;
const installed = path.join(here, '..', '.peers');

/**
 * What a peer is given: the sink, the file, an empty folder, and the bytes that 100 records of the file take as JSON.
 * @typedef {{ url: string, file: string, folder: string, batchBytes: number }} Task
 *
 * @typedef {object} Peer
 * @property {string} name
 * @property {string} about what it is, and how it is configured
 * @property {'csv' | 'ndjson'} reads
 * @property {() => Promise<(task: Task) => { file: string, args: string[] }>} prepare installs it where it must be;
 *   rejects with the reason where it cannot be had here
 */

/** @type {readonly Peer[]} */
export const peers = [
  {
    name: 'mixpanel-import',
    about: 'mixpanel-import 3.1.43, 8 workers, fast mode: no transforms, no compression',
    reads: 'csv',
    async prepare() {
      const script = await install('mixpanel-import');
      return ({ url, file }) => node(script, url, file);
    },
  },
  {
    name: 'helpers.bulk',
    about: '@elastic/elasticsearch 9.3.4, concurrency 8; the CSV parsed by csv-parser 3.2.1',
    reads: 'csv',
    prepare: bulk,
  },
  {
    name: 'helpers.bulk, raw lines',
    about: '@elastic/elasticsearch 9.3.4, concurrency 8; the lines are not parsed',
    reads: 'ndjson',
    prepare: bulk,
  },
  {
    name: 'python, threads',
    about: 'csv, json and http.client; one thread reads, eight post',
    reads: 'csv',
    prepare: () => python('threads.py'),
  },
  {
    name: 'python, processes',
    about: 'csv, json and http.client; one process reads, eight post',
    reads: 'csv',
    prepare: () => python('processes.py'),
  },
  {
    name: 'mlr, awk, curl',
    about: 'mlr to JSON lines, awk to bodies of 100, one curl --parallel-max 8',
    reads: 'csv',
    async prepare() {
      await has('curl', '--version');
      const mlr = await miller();
      return ({ url, file, folder }) => ({
        file: 'sh',
        args: [path.join(here, 'shell', 'peer.sh'), mlr, url, file, folder],
      });
    },
  },
];

function node(script, ...args) {
  return { file: process.execPath, args: [script, ...args] };
}

async function bulk() {
  const script = await install('helpers-bulk');
  return ({ url, file, batchBytes }) => node(script, url, file, String(batchBytes));
}

async function python(script) {
  // The interpreter itself, because version managers start it with a slow script.
  const { stdout } = await has('python3', '-c', 'import sys; print(sys.executable)');
  const interpreter = stdout.trim();
  return ({ url, file }) => ({
    file: interpreter,
    args: [path.join(here, 'python', script), new URL(url).host, file],
  });
}

/** Runs a command that must be there. Rejects with a sentence that names it. */
async function has(command, ...args) {
  return await run(command, args).catch((error) => {
    throw new Error(`${command} is not there (${error.code ?? error.message})`);
  });
}

/** Installs the npm peer of the folder `name`, and gives the path of its script. */
async function install(name) {
  const folder = path.join(installed, name);
  const manifest = path.join(folder, 'package.json');
  const wanted = await readFile(path.join(here, name, 'package.json'), 'utf8');
  const found = await readFile(manifest, 'utf8').catch(() => undefined);
  const whole = await stat(path.join(folder, 'node_modules', '.package-lock.json')).catch(() => undefined);
  if (found !== wanted || whole === undefined) {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await cp(path.join(here, name, 'package.json'), manifest);
    await run(
      'npm',
      ['install', '--prefix', folder, '--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund'],
      {
        cwd: folder,
        env: withoutNpm(),
        timeout: INSTALL_MS,
      },
    ).catch((error) => {
      throw new Error(`npm cannot install it: ${firstFault(error.stderr ?? error.message)}`);
    });
  }
  // Always the script of the repository, whatever was installed when.
  await cp(path.join(here, name, 'peer.mjs'), path.join(folder, 'peer.mjs'));
  return path.join(folder, 'peer.mjs');
}

/** The environment without what an `npm run` around us has set: it would point npm at this project. */
function withoutNpm() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
}

const firstFault = (text) => /^npm (?:error|ERR!) (.*)$/m.exec(text)?.[1] ?? text.trim().split('\n')[0];

/** Miller's command: that of the system, or Debian's package unpacked here, which needs no rights. */
async function miller() {
  const system = await run('mlr', ['--version']).catch(() => undefined);
  if (system !== undefined) return 'mlr';
  const folder = path.join(installed, 'miller');
  const unpacked = path.join(folder, 'usr', 'bin', 'mlr');
  if (await stat(unpacked).catch(() => undefined)) return unpacked;
  await mkdir(folder, { recursive: true });
  try {
    await run('apt-get', ['download', 'miller'], { cwd: folder, timeout: INSTALL_MS });
    const [archive = ''] = (await readdir(folder)).filter((name) => name.endsWith('.deb'));
    await run('dpkg-deb', ['-x', archive, '.'], { cwd: folder });
    await run(unpacked, ['--version']);
  } catch (error) {
    throw new Error(`mlr is not there, and Debian's package cannot be had (${error.code ?? error.message})`);
  }
  return unpacked;
}
