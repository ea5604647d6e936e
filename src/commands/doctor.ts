/** `signals doctor`: checks what an upload needs. Sends one HEAD request without the key, and no record. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import path from 'node:path';
import { routeTo } from '../app/destination.ts';
import { CHECK_NAME, CHECK_PROXY, describeFailure } from '../deliver/decide.ts';
import type { Route } from '../deliver/dispatcher.ts';
import { printable } from '../lib/printable.ts';
import type { Suggest } from '../lib/shell.ts';
import { messageOf } from '../lib/text.ts';
import { DAY_MS, humanBytes, humanDuration, plural } from '../lib/units.ts';
import { userAgent, version } from '../lib/version.ts';
import type { AnsweredAttempt } from '../model/outcome.ts';
import { type Problem, problemsOf } from '../model/problem.ts';
import { resolveKey } from '../options/api-key.ts';
import { type Settings, sharedOptions } from '../options/option-table.ts';
import { hidePassword } from '../options/parse-values.ts';
import { describeSettings, resolveSettings, type SettingsInput } from '../options/resolve-settings.ts';
import { noStateFolder, stateFolder } from '../options/state-folder.ts';
import { hangingTable } from '../report/text-layout.ts';
import { type Context, defineCommand } from './command.ts';

interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'error';
  readonly message: string;
  readonly hint?: string | undefined;
}

/** A certificate that expires sooner is reported, in days. */
const EXPIRY_DAYS = 14;

/** A larger difference between the clocks is reported, in milliseconds. The Date header has whole seconds. */
const CLOCK_MS = 60_000;

export const command = defineCommand({
  options: sharedOptions('doctor'),
  more: ['Sends one HEAD request to the service, without the API key and without a record. Exits with 2 on an error.'],
  async run(context, _args, options) {
    const { streams, suggest } = context;
    const given = { ...context, ...options };
    const findings: Finding[] = [
      ok('program', `signals ${version}, Node.js ${process.versions.node}, ${process.platform} ${process.arch}`),
    ];
    const add = async (check: string, find: () => Promise<readonly Finding[]>): Promise<void> => {
      try {
        findings.push(...(await find()));
      } catch (error) {
        findings.push(...problemsOf(error).map((problem) => ofProblem(check, 'error', problem)));
      }
    };
    await add('settings', () => checkSettings(given));
    await add('key', () => checkKey(given, suggest));
    await add('settings', async () => {
      const { settings } = await resolveSettings(given);
      const state = stateFolder(context.env);
      findings.push(
        await checkFolder('runs', settings.out),
        state === undefined ? ofProblem('state', 'warning', noStateFolder()) : await checkFolder('state', state),
      );
      await add('service', () => checkService(context, settings, suggest));
      return [];
    });
    const exitCode = findings.some(({ state }) => state === 'error') ? 2 : 0;
    if (options.json) streams.json({ exitCode, findings });
    else {
      const { green, yellow, red } = streams.style.out;
      const mark = { ok: green('ok'), warning: yellow('warning'), error: red('error') };
      const rows = findings.map(({ check, state, message, hint }) => {
        return [mark[state], check, printable([message, hint].filter(Boolean).join(' '))];
      });
      for (const line of hangingTable(rows, streams.width())) streams.print(`${line}\n`);
    }
    return exitCode;
  },
});

function ok(check: string, message: string): Finding {
  return { check, state: 'ok', message };
}

function ofProblem(check: string, state: Finding['state'], { message, where, hint }: Problem): Finding {
  return { check, state, message: where === undefined ? message : `${where}: ${message}`, hint };
}

async function checkSettings(given: SettingsInput): Promise<readonly Finding[]> {
  const { described, profile, path: file, warnings } = await describeSettings(given);
  const set = described.flatMap(({ name, key, text, origin }) =>
    name === 'apiKey' || text === undefined || origin === undefined || origin === 'default'
      ? []
      : [`${key} ${text} (${origin})`],
  );
  return [
    ok(
      'settings',
      `${file === undefined || !existsSync(file) ? 'no settings file' : file}, profile ${profile}: ${set.join(', ') || 'all defaults'}`,
    ),
    ...warnings.map((warning) => ofProblem('settings', 'warning', warning)),
  ];
}

async function checkKey(given: SettingsInput, suggest: Suggest): Promise<readonly Finding[]> {
  const { key, warnings } = await resolveKey(given);
  const hint = `Save it with \`${suggest('config', 'set', 'api_key')}\`, or set SIGNALS_API_KEY.`;
  const found: Finding =
    key === undefined
      ? { check: 'key', state: 'error', message: 'No API key is configured.', hint }
      : ok('key', `an API key of ${plural(key.length, 'character')}; only an upload can show whether it is accepted`);
  return [found, ...warnings.map((warning) => ofProblem('key', 'warning', warning))];
}

/** Whether files can be created in the folder, or the folder itself if it does not exist yet. */
async function checkFolder(check: string, folder: string): Promise<Finding> {
  let existing = path.resolve(folder);
  try {
    while (!existsSync(existing) && path.dirname(existing) !== existing) existing = path.dirname(existing);
    if (!(await stat(existing)).isDirectory()) throw new Error(`${existing} is not a folder`);
    // Permissions do not say whether the file system is read-only or full.
    const probe = await mkdtemp(path.join(existing, '.signals-'));
    await writeFile(path.join(probe, '1'), '1').finally(() => rm(probe, { recursive: true }));
    const { bavail, bsize } = await statfs(existing);
    const verb = existing === path.resolve(folder) ? 'can be written' : 'can be created';
    return ok(check, `${folder} ${verb}; ${humanBytes(bavail * bsize)} free`);
  } catch (error) {
    const hint = check === 'runs' ? 'Name another folder with --out or SIGNALS_RUNS.' : 'Set SIGNALS_STATE_DIR.';
    return { check, state: 'error', message: `${folder} cannot be written: ${messageOf(error)}.`, hint };
  }
}

async function checkService({ env }: Context, settings: Settings, suggest: Suggest): Promise<readonly Finding[]> {
  const { baseUrl: address, timeout: timeoutMs } = settings;
  if (address === undefined) {
    const hint = `Pass --base-url, set SIGNALS_BASE_URL, or save it with \`${suggest('config', 'set', 'base_url', 'URL')}\`.`;
    return [{ check: 'service', state: 'error', message: 'No service URL is configured.', hint }];
  }
  const url = new URL(address);
  const route = routeTo(address, { settings }, env);
  const findings = [
    ...(route.proxy === undefined
      ? await checkName(route.address ?? url.hostname)
      : [ok('proxy', `${hidePassword(route.proxy)}, unless NO_PROXY names the service`)]),
  ];
  if (findings.some(({ state }) => state === 'error')) return findings;
  // undici is a third of the program.
  const { readCertificate } = await import('../deliver/dispatcher.ts');
  const certificate = await readCertificate(url, route, timeoutMs);
  if (certificate !== undefined) {
    const { protocol, subject, issuer, validTo } = certificate;
    const days = Math.floor((validTo - Date.now()) / DAY_MS);
    const end = days < 0 ? `expired ${plural(-days, 'day')} ago` : `expires in ${plural(days, 'day')}`;
    const message = `${protocol}; the certificate of ${subject}, issued by ${issuer}, ${end}`;
    findings.push({ check: 'tls', state: days < EXPIRY_DAYS ? 'warning' : 'ok', message });
  }
  return [...findings, ...(await probe(address, timeoutMs, route))];
}

async function checkName(hostname: string): Promise<readonly Finding[]> {
  const host = hostname.replace(/^\[|\]$/g, '');
  // An address needs no DNS.
  if (isIP(host) !== 0) return [];
  const { lookup } = await import('node:dns/promises');
  const started = performance.now();
  try {
    const addresses = await lookup(host, { all: true });
    const found = addresses.map(({ address }) => address).join(', ');
    return [ok('dns', `${hostname} is ${found} (${Math.round(performance.now() - started)} ms)`)];
  } catch (error) {
    const message = `The name ${hostname} was not found: ${messageOf(error)}.`;
    return [{ check: 'dns', state: 'error', message, hint: CHECK_NAME }];
  }
}

async function probe(baseUrl: string, timeoutMs: number, route: Route): Promise<readonly Finding[]> {
  const { HttpTransport } = await import('../deliver/http.ts');
  const transport = new HttpTransport({ ...route, baseUrl, key: '', agent: userAgent, connections: 1, timeoutMs });
  const started = Date.now();
  const result = await transport.probe();
  const ended = Date.now();
  await transport.close();
  if (result.kind === 'failed') return [{ check: 'service', state: 'error', ...describeFailure(result) }];
  return [describeAnswer(baseUrl, result, ended - started), ...compareClocks(result, (started + ended) / 2)];
}

function describeAnswer(address: string, { status, headers }: AnsweredAttempt, ms: number): Finding {
  const answer = `${address} answered with HTTP ${status} in ${ms} ms`;
  const message = `${answer}.`;
  const to = headers.location;
  if (status >= 300 && status < 400) {
    const hint = `Redirects are not followed${to === undefined ? '' : `; it redirects to ${to}`}. Check the base URL.`;
    return { check: 'service', state: 'error', message, hint };
  }
  if (status === 407) return { check: 'service', state: 'error', message, hint: CHECK_PROXY };
  if (status >= 500) return { check: 'service', state: 'warning', message, hint: 'The service may be unavailable.' };
  const doubt = status === 404 ? '; only an upload can show whether the path of the base URL is right' : '';
  return ok('service', `${answer}; no record was sent${doubt}`);
}

/** @param now this machine's time when the answer was made, in milliseconds since 1970 */
function compareClocks({ headers }: AnsweredAttempt, now: number): readonly Finding[] {
  const theirs = Date.parse(headers.date ?? '');
  if (Number.isNaN(theirs)) return [];
  const difference = Math.abs(now - theirs);
  if (difference < CLOCK_MS) return [ok('clock', "agrees with the service's")];
  const message = `This machine's clock is ${humanDuration(difference)} ${now > theirs ? 'ahead of' : 'behind'} the service's.`;
  return [{ check: 'clock', state: 'warning', message, hint: 'Set it: the times in the results log depend on it.' }];
}
