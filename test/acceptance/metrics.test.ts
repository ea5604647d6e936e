/** `--metrics-file`: what node_exporter reads while a run goes on, and after it. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, watch } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { run, test, withWrongKey, writeCsv } from '../support/program.ts';

const promtool = spawnSync('promtool', ['--version']).error === undefined;

function metricOf(text: string, name: string): number | undefined {
  const line = text.split('\n').find((each) => each.startsWith(`signals_upload_${name}`));
  return line === undefined ? undefined : Number(line.split(' ').at(-1));
}

describe('--metrics-file', () => {
  test('is whole whenever it is read, and ends with the counts of the run', async ({ cwd, there, signals }) => {
    there.fault = () => ({ latencyMs: 40 });
    await writeCsv(cwd, 'in.csv', 30);
    const file = path.join(cwd, 'crm.prom');
    const states = new Set<number | undefined>();
    const watcher = watch(cwd, () => {
      if (!existsSync(file)) return;
      const text = readFileSync(file, 'utf8');
      expect(text.endsWith('\n')).toBe(true);
      states.add(metricOf(text, 'state{upload="crm",state="running"}'));
    });
    onTestFinished(() => watcher.close());
    const args = ['upload', 'in.csv', '--batch-size', '5', '--concurrency', '1', '--setting', 'log_interval=20ms'];
    const { code } = await signals(...args, '--metrics-file', 'crm.prom');
    expect(code).toBe(0);
    expect(states).toContain(1);
    const text = readFileSync(file, 'utf8');
    expect(metricOf(text, 'rows{upload="crm",state="delivered"}')).toBe(30);
    expect(metricOf(text, 'requests_total')).toBe(6);
    expect(metricOf(text, 'state{upload="crm",state="complete"}')).toBe(1);
    expect(metricOf(text, 'exit_code')).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o644);
    expect(readdirSync(cwd).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  test('keeps the time of the last success when a later run fails', async ({ cwd, there, signals }) => {
    await writeCsv(cwd, 'in.csv', 5);
    const upload = ['upload', 'in.csv', '--again', '--metrics-file', 'crm.prom'];
    await signals(...upload);
    const success = metricOf(readFileSync(path.join(cwd, 'crm.prom'), 'utf8'), 'last_success_timestamp_seconds');
    expect(success).toBeGreaterThan(Date.now() / 1000 - 60);
    expect((await run(cwd, upload, { env: withWrongKey(there) })).code).toBe(5);
    const text = readFileSync(path.join(cwd, 'crm.prom'), 'utf8');
    expect(metricOf(text, 'last_success_timestamp_seconds')).toBe(success);
    expect(metricOf(text, 'exit_code')).toBe(5);
    expect(metricOf(text, 'requests_total')).toBe(1);
  });

  test.skipIf(!promtool)(
    'follows the conventions of Prometheus, as promtool says (skipped without promtool)',
    async ({ cwd, there, signals }) => {
      there.fault = ({ n }) => (n === 2 ? { status: 500 } : undefined);
      await writeCsv(cwd, 'in.csv', 12);
      const args = ['upload', 'in.csv', '--batch-size', '5', '--metrics-file', 'crm.prom'];
      await signals(...args);
      const checked = spawnSync('promtool', ['check', 'metrics'], { input: readFileSync(path.join(cwd, 'crm.prom')) });
      expect({ status: checked.status, said: `${checked.stdout}${checked.stderr}` }).toEqual({ status: 0, said: '' });
    },
  );
});
