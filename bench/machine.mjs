/** Describes the machine: a figure means little without it. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..');

/** How long the load of the processors is measured before a benchmark starts. */
const LOOK_MS = 1000;

/**
 * @returns {Promise<{ date: string, cores: number, processor: string, memory: number, system: string, node: string,
 *   commit: string, busy: number }>} `memory` in bytes; `busy` is the share of the processors that others took in the
 *   second before, 0 to 1
 */
export async function describeMachine() {
  return {
    date: new Date().toISOString().slice(0, 16).replace('T', ' '),
    cores: os.availableParallelism(),
    processor: os.cpus()[0]?.model.trim() ?? 'unknown',
    memory: os.totalmem(),
    system: `${distribution()}, ${os.type()} ${os.release()}`,
    node: process.version,
    commit: commit(),
    busy: await busyShare(),
  };
}

async function busyShare() {
  const read = () => {
    const times = os.cpus().map((cpu) => cpu.times);
    const idle = times.reduce((sum, time) => sum + time.idle, 0);
    return {
      idle,
      all: times.reduce((sum, { user, nice, sys, irq }) => sum + user + nice + sys + irq, idle),
    };
  };
  const before = read();
  await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  const after = read();
  return 1 - (after.idle - before.idle) / Math.max(1, after.all - before.all);
}

/** It in two lines. */
export function machineText({ date, commit, busy, cores, processor, memory, system, node }) {
  const company = busy > 0.1 ? `; not a quiet machine: others took ${(busy * 100).toFixed(0)}% of it` : '';
  return [
    `${date} UTC, commit ${commit}${company}`,
    `${cores} cores of ${processor}, ${(memory / 1e9).toFixed(0)} GB, ${system}, Node ${node}`,
  ].join('\n');
}

function distribution() {
  try {
    return /^PRETTY_NAME="(.*)"$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? os.platform();
  } catch {
    return os.platform(); // Not a Linux.
  }
}

function commit() {
  try {
    const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
    // What the figures depend on; a page that was written from them is no change.
    const parts = ['bin', 'src', 'package-lock.json', 'bench'].map((name) => path.join(ROOT, name));
    const changed = git('status', '--porcelain', '--', ...parts) === '' ? '' : ', with changes';
    return `${git('rev-parse', '--short', 'HEAD')}${changed}`;
  } catch {
    return 'unknown'; // An installed package has no history.
  }
}
