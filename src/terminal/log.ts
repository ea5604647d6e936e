/** The log for programs: one line an event, on stderr (`--log-format json`) or in a file (`--log-file`). */
import { appendFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { printable } from '../lib/printable.ts';
import type { Problem } from '../model/problem.ts';
import type { LogEntry } from '../model/published-schemas.ts';
import { describeProblem } from '../report/problem-text.ts';

export type Log = ReturnType<typeof createLog>;

export const logFormats = ['text', 'json'] as const;

export type LogFormat = (typeof logFormats)[number];

/** @param quiet drops everything but errors */
export function createLog(format: LogFormat, write: (line: string) => void, quiet = false) {
  const add = (entry: LogEntry): void => {
    if (!quiet || entry.level === 'error') write(format === 'json' ? jsonLine(entry) : textLine(entry));
  };
  return {
    add,
    /** Adds text that was written for people: an entry for each line. */
    addText(text: string): void {
      for (const line of stripVTControlCharacters(text).split('\n')) {
        if (line.trim() !== '') add({ event: 'message', level: 'info', message: line.trim() });
      }
    },
  };
}

/**
 * A log in a file, to which it appends. The file is opened for each line, so that it can be rotated. Its owner alone may
 * read a new file, because an error of the service may quote data.
 *
 * @param onFailure called once if a line cannot be written; later lines are dropped
 */
export function createFileLog(format: LogFormat, file: string, onFailure: (error: unknown) => void): Log {
  let hasFailed = false;
  return createLog(format, (line) => {
    if (hasFailed) return;
    try {
      appendFileSync(file, line, { mode: 0o600 });
    } catch (error) {
      hasFailed = true;
      onFailure(error);
    }
  });
}

export function problemEntry(level: 'warning' | 'error', problem: Problem, run?: string): LogEntry {
  return { event: level, level, run, ...problem };
}

/** Characters that JSON allows and a terminal may act on. */
const UNSAFE = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

export function jsonLine({ event, ...entry }: LogEntry): string {
  const line = JSON.stringify({ time: new Date().toISOString(), event, ...entry });
  return `${line.replace(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;
}

function textLine(entry: LogEntry): string {
  const text = entry.event === 'warning' || entry.event === 'error' ? describeProblem(entry) : printable(entry.message);
  return `${new Date().toISOString()} ${entry.level.padEnd(7)} ${text}\n`;
}
