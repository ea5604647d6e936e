/**
 * Runs a command and measures it from outside: time, processor time of all its processes, peak memory. The command runs
 * as users run it; nothing is loaded into it.
 *
 * - Processor time is that of the command and of the processes that it waited for, as reported by bash's `time`.
 * - Peak memory is the sum of the high-water marks (`VmHWM`) of the processes alive together, read from /proc every
 *   20 ms. Growth in the last 20 ms of a process is missed. Without /proc there is no figure.
 */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const SAMPLE_MS = 20;
/** A command that hangs must not hold a night's measurements. */
const LIMIT_MS = 30 * 60_000;

// fd 3 takes what `time` says, apart from the command's own stderr (kept as fd 4).
const TIMED = `TIMEFORMAT='%3R %3U %3S'; { time "$@" 2>&4 3>&- 4>&-; } 2>&3`;

/**
 * @typedef {object} Command
 * @property {string} file
 * @property {readonly string[]} args
 * @property {Readonly<Record<string, string>>} [env] instead of the environment, beside PATH
 * @property {string} [cwd]
 *
 * @typedef {object} Measured
 * @property {number} wall seconds from start to exit
 * @property {number} cpu seconds, user and system
 * @property {number | undefined} peak bytes
 * @property {number} code exit code; -1 where a signal ended it
 * @property {string} stdout
 * @property {string} stderr
 */

/**
 * Runs `command` and waits for its end. Rejects only where it cannot be started.
 * @param {Command} command
 * @returns {Promise<Measured>}
 */
export function measure(command) {
  return new Promise((resolve, reject) => {
    const child = start('bash', ['-c', `exec 4>&2; ${TIMED}`, 'bash', command.file, ...command.args], command, 4);
    const texts = collect(child);
    const sampler = createSampler(child.pid);
    const timer = setInterval(sampler.sample, SAMPLE_MS);
    child.on('error', reject);
    child.on('close', (code) => {
      clearInterval(timer);
      const [wall = 0, user = 0, system = 0] = (texts[3] ?? '').trim().split(' ').map(Number);
      resolve({
        wall,
        cpu: user + system,
        peak: sampler.peak(),
        code: code ?? -1,
        stdout: texts[1] ?? '',
        stderr: texts[2] ?? '',
      });
    });
  });
}

/**
 * Wall time alone, for commands so short that a shell around them would show.
 * @param {Command} command
 * @returns {Promise<{ wall: number, code: number, stdout: string, stderr: string }>}
 */
export function clock(command) {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = start(command.file, command.args, command, 3);
    const texts = collect(child);
    let wall = 0;
    child.on('exit', () => {
      wall = (performance.now() - started) / 1000;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ wall, code: code ?? -1, stdout: texts[1] ?? '', stderr: texts[2] ?? '' }));
  });
}

/** Process groups that are under way: they end with the benchmark. */
const groups = new Set();
process.on('exit', () => {
  for (const group of groups) end(group);
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

function end(group) {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}

function start(file, args, command, pipes) {
  const child = spawn(file, args, {
    cwd: command.cwd,
    env: { PATH: process.env.PATH, ...command.env },
    stdio: ['ignore', ...Array.from({ length: pipes - 1 }, () => 'pipe')],
    detached: true,
  });
  const group = child.pid;
  if (group === undefined) return child;
  groups.add(group);
  const timer = setTimeout(() => end(group), LIMIT_MS);
  child.on('close', () => {
    clearTimeout(timer);
    groups.delete(group);
  });
  return child;
}

/** What the child writes, by number of its stream. */
function collect(child) {
  const texts = [];
  child.stdio.forEach((stream, number) => {
    if (stream === null) return;
    texts[number] = '';
    stream.setEncoding('utf8').on('data', (text) => {
      texts[number] += text;
    });
  });
  return texts;
}

function createSampler(root) {
  let peak = 0;
  return {
    sample() {
      const sum = family(root).reduce((total, pid) => total + highWater(pid), 0);
      peak = Math.max(peak, sum);
    },
    peak: () => (peak === 0 ? undefined : peak),
  };
}

/** The processes below `root`, without itself: it is the shell that measures. */
function family(root) {
  const found = [];
  const visit = (pid) => {
    for (const child of childrenOf(pid)) {
      found.push(child);
      visit(child);
    }
  };
  visit(root);
  return found;
}

function childrenOf(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return []; // It has ended meanwhile, or there is no /proc.
  }
}

function highWater(pid) {
  try {
    const kilobytes = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kilobytes ?? 0) * 1024;
  } catch {
    return 0; // It has ended meanwhile.
  }
}
