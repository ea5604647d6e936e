/**
 * The promises, judged from outside: what the service saw, and what the program says in its files and exit codes. Shares no code
 * with the program.
 */
import { type History, type InputFile, RUNS } from './world.ts';

interface Summary {
  readonly state: string;
  readonly exitCode: number;
  readonly stop?: { readonly code: string } | null;
  readonly balanced: boolean;
  readonly rows: Readonly<Record<string, number>>;
  readonly batches: Readonly<Record<string, number>>;
  readonly service: Readonly<Record<string, number>>;
  readonly inputs: readonly {
    readonly source: string;
    readonly bytesUnread: number;
    readonly rejects?: string | null;
  }[];
}

/** Every promise that was broken. */
export function judge(history: History): readonly string[] {
  const problems: string[] = [];
  const { stuck, uncaught, processes } = history;
  if (stuck !== undefined) problems.push(`no end: ${stuck}`);
  for (const error of uncaught) problems.push(`an error that nothing caught: ${error}`);
  for (const { name, exitCode, stderr, plan } of processes) {
    if (exitCode === 1 || exitCode === 70)
      problems.push(`${name} (${plan.argv.join(' ')}) ends with ${exitCode}: ${stderr}`);
  }
  problems.push(...judgeRate(history), ...judgeSenders(history), ...judgeLostEnd(history));
  // What was not synced may be lost, and with it what the program knew.
  if (history.cut !== undefined) return problems;
  problems.push(...judgeSocial(history), ...judgeUndelivered(history));
  if (stuck !== undefined) return problems;
  const runs = history.disk.names(RUNS).filter((name) => !name.startsWith('.'));
  for (const run of runs) problems.push(...judgeRun(history, run));
  problems.push(...judgeRows(history, runs));
  return problems;
}

/** Whether the answer says that the service has taken nothing. */
function isCertainlyUnprocessed({ answered, status }: History['network']['requests'][number]): boolean {
  return answered && status !== undefined && ![200, 500, 502, 504, 408].includes(status);
}

/** An event leaves again only if the service has certainly not taken it, or if somebody has asked for that. */
function judgeSocial({ type, network, processes }: History): readonly string[] {
  if (type !== 'social') return [];
  const forced = processes.filter(({ plan }) => plan.argv.includes('--again'));
  const isForced = ({ process, run }: History['network']['requests'][number]): boolean =>
    forced.some((one) => one.name === process || one.run === run);
  const doubts = new Set(processes.flatMap(({ name, plan }) => (plan.argv.includes('--unknown') ? [name] : [])));
  const sent = new Map<string, number>();
  const problems: string[] = [];
  for (const [index, request] of network.requests.entries()) {
    for (const name of request.names) {
      const before = sent.get(name);
      const earlier = before === undefined ? undefined : network.requests[before];
      if (
        earlier !== undefined &&
        !isCertainlyUnprocessed(earlier) &&
        !isForced(request) &&
        !isForced(earlier) &&
        !doubts.has(request.process)
      ) {
        problems.push(
          `"${name}" was sent by ${earlier.process} at ${earlier.left.toFixed(2)} and again by ${request.process} at ${request.left.toFixed(2)}`,
        );
      }
      sent.set(name, index);
    }
  }
  return problems.slice(0, 3);
}

/** No process sends more in a second than it was told. */
function judgeRate({ rate, network, processes }: History): readonly string[] {
  if (rate === undefined) return [];
  for (const { name, plan } of processes) {
    if (plan.stopAfter !== undefined) continue;
    const times = network.requests.filter((request) => request.process === name).map(({ left }) => left);
    for (let index = 0; index + rate < times.length; index += 1) {
      const gap = (times[index + rate] ?? 0) - (times[index] ?? 0);
      if (gap < 1000)
        return [`${name} sent ${rate + 1} requests in ${gap.toFixed(1)} ms, with ${rate} allowed in a second`];
    }
  }
  return [];
}

/** Once a process has sent for a run, no other one that worked on it before hands over a request for it. */
function judgeSenders({ network }: History): readonly string[] {
  const senders = new Map<string, { readonly process: string; readonly since: number }[]>();
  for (const { run, process, handed, left } of network.requests) {
    const before = senders.get(run) ?? [];
    const last = before.at(-1);
    if (last?.process === process) continue;
    const isBack = before.some((one) => one.process === process);
    if (isBack && last !== undefined && handed > last.since) {
      return [`${process} sends for ${run} at ${left.toFixed(2)}, after ${last.process} has taken it over`];
    }
    if (!isBack) senders.set(run, [...before, { process, since: left }]);
  }
  return [];
}

/** Nothing is sent for a run whose results log has a later result than its journal, unless somebody asks for it. */
function judgeLostEnd({ cut, network, processes }: History): readonly string[] {
  return (cut?.runs ?? []).flatMap(({ run, journal, results }) => {
    const [, time, batch] = /(?:^|\n)([^,\n]+),([^,\n]+),[^\n]*\n[^\n]*$/.exec(results) ?? [];
    const isKnown = journal
      .split('\n')
      .some((line) => [`"batch.settled"`, `"${time}"`, `"${batch}"`].every((part) => line.includes(part)));
    if (time === undefined || time === 'time' || isKnown) return [];
    const sender = network.requests.find((request) => request.run === run && request.left > (cut?.at ?? 0))?.process;
    const argv = processes.find(({ name }) => name === sender)?.plan.argv;
    return argv === undefined || argv.includes('--again')
      ? []
      : [`${run} is resumed, although its journal has lost the result of batch ${batch}`];
  });
}

function judgeRun({ disk, network, processes }: History, run: string): readonly string[] {
  const problems: string[] = [];
  const folder = `${RUNS}/${run}`;
  const summary = summaryOf(disk, folder);
  const last = processes.findLast(({ plan }) => plan.argv[1] === run);
  // A run that has delivered nothing may have been killed too early, or replaced by a later one.
  if (last?.exitCode === 2 && !network.requests.some((request) => request.run === run && request.processed)) return [];
  const hasEnded = [0, 3, 4].includes(last?.exitCode ?? 2) || summary?.stop?.code === 'canary';
  if (summary === undefined || !hasEnded)
    return [`the last resume of ${run} ended with ${last?.exitCode}: ${last?.stderr}`];
  const { rows, batches } = summary;
  const count = (list: Readonly<Record<string, number>>, ...names: readonly string[]): number =>
    names.reduce((sum, name) => sum + (list[name] ?? Number.NaN), 0);
  if (
    rows['read'] !==
    count(rows, 'invalid', 'skipped', 'duplicate', 'delivered', 'refused', 'exhausted', 'unknown', 'pending')
  ) {
    problems.push(`${run}: rows do not add up: ${JSON.stringify(rows)}`);
  }
  if (batches['sealed'] !== count(batches, 'delivered', 'refused', 'exhausted', 'unknown', 'pending', 'split')) {
    problems.push(`${run}: batches do not add up: ${JSON.stringify(batches)}`);
  }
  if (!summary.balanced) problems.push(`${run} is not balanced`);
  const expected = exitCodeOf(summary);
  // Rows that another run holds as unknown are skipped, and unknown here too.
  const mayBeUnknown = summary.exitCode === 4 && (rows['skipped'] ?? 0) > 0;
  if (summary.exitCode !== expected && !mayBeUnknown)
    problems.push(`${run} ends with ${summary.exitCode} in place of ${expected}: ${JSON.stringify(rows)}`);

  // Each line that says delivered names a receipt that arrived, and no two name the same one.
  const seen = new Set<string>();
  let delivered = 0;
  for (const line of lastLines(disk.text(`${folder}/results.csv`) ?? '')) {
    if (line['outcome'] !== 'delivered') continue;
    delivered += Number(line['records']);
    const id = line['batchId'] ?? '';
    const request = network.requests[Number(id.replace('batch-', ''))];
    if (seen.has(id) || request?.receipt !== true || request.names.length !== Number(line['records'])) {
      problems.push(`${run}: batch ${line['batch']} is said to be delivered as "${id}"`);
    }
    seen.add(id);
  }
  if (delivered !== rows['delivered'])
    problems.push(`${run}: results.csv has ${delivered} rows delivered, summary.json ${rows['delivered']}`);
  return problems;
}

/** Refused and exhausted mean that the service has certainly not taken any of it, in this run. */
function judgeUndelivered({ said, network }: History): readonly string[] {
  return said.flatMap(({ run, at, results, undelivered }) => {
    const outcomes = new Map(lastLines(results).map((line) => [line['batch'], line['outcome']]));
    const processed = new Set(
      network.requests.flatMap((request) =>
        request.processed && request.run === run && request.left < at ? request.names : [],
      ),
    );
    return undeliveredIn(undelivered)
      .filter(({ batch, outcome, names }) => {
        const isCurrent = outcome !== 'unknown' && outcomes.get(batch) === outcome;
        return isCurrent && names.some((name) => processed.has(name));
      })
      .map(({ batch, outcome }) => `${run}: batch ${batch} is ${outcome}, and the service has processed it`);
  });
}

/** Undefined if there is none, or a part of one. */
function summaryOf(disk: History['disk'], folder: string): Summary | undefined {
  try {
    return JSON.parse(disk.text(`${folder}/summary.json`) ?? '');
  } catch {
    return undefined;
  }
}

/** Of a run that is not complete it depends on why it stopped. */
function exitCodeOf({ state, exitCode, rows, service }: Summary): number {
  if (state !== 'complete') return exitCode;
  if ((rows['exhausted'] ?? 0) + (rows['unknown'] ?? 0) > 0) return 4;
  const failed =
    (rows['invalid'] ?? 0) + (rows['refused'] ?? 0) + (service['rejected'] ?? 0) + (service['unaccounted'] ?? 0);
  return failed > 0 ? 3 : 0;
}

interface Undelivered {
  readonly batch: string;
  readonly outcome: string;
  readonly names: readonly string[];
}

function undeliveredIn(text: string): readonly Undelivered[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const { batch, outcome, payload } = JSON.parse(line);
    const records: readonly Readonly<Record<string, string>>[] = Object.values<[]>(payload).flat();
    return {
      batch,
      outcome,
      names: records.map((record) => record['signal_title'] ?? record['engager_name'] ?? ''),
    };
  });
}

/** After the end, each row of what was uploaded is where the program says. */
function judgeRows(history: History, runs: readonly string[]): readonly string[] {
  const { files, uploaded, network, processes, said } = history;
  const problems: string[] = [];
  const processed = new Set(network.requests.flatMap((request) => (request.processed ? request.names : [])));
  const last = said.slice(-runs.length);
  const kept = new Set(last.flatMap(({ undelivered }) => undeliveredIn(undelivered).flatMap(({ names }) => names)));
  for (const file of files) {
    if (!uploaded.has(file.name)) continue;
    const missing = file.rows.filter((name) => name !== undefined && !processed.has(name) && !kept.has(name));
    if (missing.length > 0)
      problems.push(`${file.name}: ${missing.length} rows were never sent: ${missing.slice(0, 3).join(', ')}`);
    const last = processes.findLast(({ plan }) => plan.argv[0] === 'upload' && plan.argv[1] === file.name);
    if (last !== undefined && ![0, 3, 4, 6, null].includes(last.exitCode ?? null))
      problems.push(`the last upload of ${file.name} ends with ${last.exitCode}: ${last.stderr}`);
    problems.push(...judgeRejects(history, file, runs));
  }
  return problems;
}

/** The rejects of a complete run list each invalid row once. */
function judgeRejects({ disk }: History, file: InputFile, runs: readonly string[]): readonly string[] {
  return runs.flatMap((run) => {
    const folder = `${RUNS}/${run}`;
    const { state, inputs } = summaryOf(disk, folder) ?? { state: 'none', inputs: [] };
    const input = inputs.find(({ source }) => source === file.name);
    if (state !== 'complete' || input === undefined) return [];
    const invalid = file.rows.filter((name) => name === undefined).length;
    const listed = disk.text(`${folder}/rejects/${file.name}`) ?? '';
    const found = listed.split(/missing|required/).length - 1;
    return found === invalid
      ? []
      : [`${run}: ${invalid} rows are invalid, its rejects list ${found}: ${listed.slice(0, 600)}`];
  });
}

/** The last line of each batch of a results log. */
function lastLines(text: string): readonly Readonly<Record<string, string>>[] {
  const [header = [], ...lines] = text.split('\n').map(cellsOf);
  const byBatch = new Map<string, Readonly<Record<string, string>>>();
  for (const cells of lines) {
    if (cells.length !== header.length) continue;
    const line = Object.fromEntries(header.map((name, index) => [name, cells[index] ?? '']));
    byBatch.set(line['batch'] ?? '', line);
  }
  return [...byBatch.values()];
}

function cellsOf(line: string): readonly string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
  );
}
