import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createFileLog, createLog, problemEntry } from '../../src/terminal/log.ts';

const warning = problemEntry('warning', { code: 'a.b', message: 'Bell \u{7} and \u{202e}reversed.' });
const error = problemEntry('error', { code: 'c.d', message: 'It failed.' });

test('a line of JSON has no character that a terminal acts on, and reads back as it was', () => {
  const lines: string[] = [];
  createLog('json', (line) => lines.push(line)).add(warning);
  expect(lines[0]).toContain('Bell \\u0007 and \\u202ereversed.');
  expect(JSON.parse(lines[0] ?? '')).toEqual({ ...warning, time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) });
});

test('text for people becomes one entry a line, without colours', () => {
  const lines: string[] = [];
  createLog('json', (line) => lines.push(line)).addText('\u{1b}[1mOne\u{1b}[0m\n\n  two\n');
  expect(lines.map((line) => JSON.parse(line).message)).toEqual(['One', 'two']);
});

test('a log file is appended to, for its owner alone, and a new one is made after it was rotated', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'signals-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'upload.log');
  const log = createFileLog('text', file, () => expect.unreachable());
  log.add(error);
  log.add(error);
  expect(readFileSync(file, 'utf8').trimEnd().split('\n')).toHaveLength(2);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  rmSync(file);
  log.add(error);
  expect(readFileSync(file, 'utf8').trimEnd().split('\n')).toHaveLength(1);
});

test('a log file that can no longer be written is reported once', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'signals-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const failures: unknown[] = [];
  const log = createFileLog('text', path.join(folder, 'upload.log'), (failure) => failures.push(failure));
  log.add(error);
  rmSync(folder, { recursive: true });
  log.add(error);
  log.add(error);
  expect(failures).toHaveLength(1);
});
