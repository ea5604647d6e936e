/** Identifies a process across hosts, boots and PID namespaces, and tells whether it still exists. */
import { readFileSync, readlinkSync } from 'node:fs';
import os from 'node:os';

export interface ProcessIdentity {
  readonly host: string;
  /** Differs at each boot; undefined on systems without /proc. */
  readonly boot?: string | undefined;
  /** PID namespace, such as `pid:[4026531836]`: the same pid in two containers is two processes. */
  readonly pidNamespace?: string | undefined;
  readonly pid: number;
  /** Start time in ticks since boot: a pid is reused, a pid with its start time is not. */
  readonly started?: string | undefined;
}

/** `unclear`: the process cannot be looked up from here. */
export type Existence = 'exists' | 'gone' | 'unclear';

export function ownIdentity(): ProcessIdentity {
  return {
    host: os.hostname(),
    boot: attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    pidNamespace: attempt(() => readlinkSync('/proc/self/ns/pid')),
    pid: process.pid,
    started: statOf(process.pid)?.started,
  };
}

/** Certain only in the same host, boot and PID namespace, where /proc shows the process. */
export function existenceOf(other: ProcessIdentity, own: ProcessIdentity = ownIdentity()): Existence {
  const comparable =
    other.host === own.host &&
    isSame(other.boot, own.boot) &&
    isSame(other.pidNamespace, own.pidNamespace) &&
    other.started !== undefined;
  if (!comparable) return 'unclear';
  const found = statOf(other.pid);
  // A zombie (Z) or dead (X) process does no more work, even before its parent reaps it.
  if (found === undefined || /^[ZXx]$/.test(found.state)) return 'gone';
  return found.started === other.started ? 'exists' : 'gone';
}

function isSame(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && one === other;
}

/** Fields 3 (state) and 22 (start time) of /proc/PID/stat (proc(5)). */
function statOf(pid: number): { readonly state: string; readonly started: string } | undefined {
  const text = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // Field 2 is the program's name in brackets, which may contain blanks and brackets.
  const [state, ...fields] = text?.slice(text.lastIndexOf(')') + 2).split(' ') ?? [];
  const started = fields[18];
  return state === undefined || started === undefined ? undefined : { state, started };
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
