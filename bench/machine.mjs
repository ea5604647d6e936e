/** What a figure was measured on: it says little without. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import os from 'node:os';

/**
 * @returns {{ date: string, cores: number, processor: string, memory: number, system: string, node: string,
 *   commit: string, load: number }} `memory` in bytes; `load` is the average of the last minute, before anything was
 *   measured: on a quiet machine it is near 0
 */
export function describeMachine() {
  return {
    date: new Date().toISOString().slice(0, 16).replace('T', ' '),
    cores: os.availableParallelism(),
    processor: os.cpus()[0]?.model.trim() ?? 'unknown',
    memory: os.totalmem(),
    system: `${distribution()}, ${os.type()} ${os.release()}`,
    node: process.version,
    commit: commit(),
    load: os.loadavg()[0] ?? 0,
  };
}

export function machineText(machine) {
  return [
    `${machine.date} UTC, commit ${machine.commit}`,
    `${machine.cores} cores of ${machine.processor}, ${(machine.memory / 1e9).toFixed(0)} GB`,
    `${machine.system}, Node ${machine.node}`,
    `load before the first measurement: ${machine.load.toFixed(2)}${machine.load > 0.5 ? ' (not a quiet machine)' : ''}`,
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
    const git = (...args) => execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' }).trim();
    const changed = git('status', '--porcelain') === '' ? '' : ', with changes';
    return `${git('rev-parse', '--short', 'HEAD')}${changed}`;
  } catch {
    return 'unknown'; // An installed package has no history.
  }
}
