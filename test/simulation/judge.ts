/**
 * The promises, judged from outside: what the service saw, and what the program says in its files and exit codes. Shares no code
 * with the program.
 */
import type { History, InputFile } from './world.ts';

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

type Request = History['network']['requests'][number];

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
  problems.push(...judgeRate(history), ...judgeSenders(history), ...judgeHandOver(history), ...judgeLostEnd(history));
  // What was not synced may be lost, and with it what the program knew.
  if (history.cut !== undefined) return problems;
  problems.push(...judgeSocial(history), ...judgeUndelivered(history));
  if (stuck !== undefined) return problems;
  for (const folder of history.runs) problems.push(...judgeRun(history, folder));
  problems.push(...judgeRows(history), ...judgeShards(history));
  return problems;
}

/** Whether the answer says that the service has taken nothing. */
function isCertainlyUnprocessed({ answered, status }: Request): boolean {
  return answered && status !== undefined && ![200, 500, 502, 504, 408].includes(status);
}

/** An event leaves again only if the service has certainly not taken it, or if somebody has asked for that. */
function judgeSocial({ type, network, processes, handOver }: History): readonly string[] {
  if (type !== 'social') return [];
  const forced = processes.filter(({ plan }) => plan.argv.includes('--again'));
  const isForced = ({ process, run }: Request): boolean =>
    forced.some((one) => one.name === process || one.run === run);
  const doubts = new Set(processes.flatMap(({ name, plan }) => (plan.argv.includes('--unknown') ? [name] : [])));
  // A machine knows what another one has sent only from an archive.
  const isUnknown = (earlier: Request, later: Request): boolean =>
    earlier.run !== later.run &&
    isAway(earlier) !== isAway(later) &&
    (isAway(earlier) || earlier.left > (handOver?.began ?? 0));
  const sent = new Map<string, number>();
  const problems: string[] = [];
  for (const [index, request] of network.requests.entries()) {
    for (const name of request.names) {
      const before = sent.get(name);
      const earlier = before === undefined ? undefined : network.requests[before];
      if (
        earlier !== undefined &&
        !isCertainlyUnprocessed(earlier) &&
        !isUnknown(earlier, request) &&
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

/** The service gets no more in a second than it was told, from a process or from all that share the rate. */
function judgeRate({ rate: ofAll, rateStore, shards, network, processes }: History): readonly string[] {
  if (ofAll === undefined) return [];
  const rate = rateStore === undefined ? Math.floor(ofAll / Math.max(1, shards)) : ofAll;
  const late = new Set(processes.flatMap(({ name, plan }) => (plan.stopAfter === undefined ? [] : [name])));
  const senderOf = ({ process, key }: Request): string => (rateStore === undefined ? process : key);
  const began = new Map(network.requests.toReversed().map(({ process, handed }) => [process, handed]));
  for (const sender of new Set(network.requests.map(senderOf))) {
    const arrivals = network.requests
      .flatMap((one) => (senderOf(one) === sender && !late.has(one.process) ? { ...one, at: one.arrived ?? 0 } : []))
      .filter(({ at }) => at > 0)
      .sort((one, other) => one.at - other.at);
    for (const [index, { at }] of arrivals.entries()) {
      const window = arrivals.slice(index, index + rate + 1);
      const gap = (window[rate]?.at ?? Number.POSITIVE_INFINITY) - at;
      // A process that begins then does not know that the store has forgotten anything.
      const isForgotten = rateStore?.losses.some(
        (loss) => Math.abs(loss - at) < 3000 && window.some(({ process }) => (began.get(process) ?? 0) > loss),
      );
      if (gap < 1000 && isForgotten !== true)
        return [`${sender} sent ${rate + 1} requests in ${gap.toFixed(1)} ms, with ${rate} allowed in a second`];
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

function isAway({ process }: Request): boolean {
  return process.startsWith('away/');
}

/** Once the archive of a run is there, nothing is sent from the folder that was packed. */
function judgeHandOver({ handOver, network }: History): readonly string[] {
  const late = network.requests.find(
    (request) => request.run === handOver?.run && !isAway(request) && request.handed > handOver.at,
  );
  return late === undefined ? [] : [`${late.process} sends for ${late.run}, which was handed over`];
}

/** Each record is sent by one shard only, and the counts of all shards are those of the undivided upload. */
function judgeShards({ shards, merged, network, files: [file] }: History): readonly string[] {
  if (shards === 0 || file === undefined) return [];
  const senders = new Map<string, string>();
  for (const { run, names } of network.requests) {
    for (const name of names) {
      if ((senders.get(name) ?? run) !== run) return [`${name} was sent by ${senders.get(name)} and by ${run}`];
      senders.set(name, run);
    }
  }
  const records = file.rows.flatMap((name) => name ?? []);
  const summary = parsed<Summary>(merged?.stdout);
  if (summary?.rows === undefined) return [`runs merge ends with ${merged?.exitCode}: ${merged?.stderr}`];
  const { rows, stop } = summary;
  if (stop?.code === 'canary') return [];
  const expected = {
    read: file.rows.length,
    invalid: file.rows.length - records.length,
    duplicate: records.length - new Set(records).size,
  };
  return Object.entries(expected).some(([name, count]) => rows[name] !== count)
    ? [`the shards together have ${JSON.stringify(rows)} in place of ${JSON.stringify(expected)}`]
    : judgeCounts('runs merge', summary);
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

function judgeRun({ disk, network, processes }: History, folder: string): readonly string[] {
  const problems: string[] = [];
  const run = folder.split('/').at(-1) ?? '';
  const summary = summaryOf(disk, folder);
  const last = processes.findLast(({ plan }) => plan.argv[1] === folder);
  // A run that has delivered nothing may have been killed too early, or replaced by a later one.
  if (last?.exitCode === 2 && !network.requests.some((request) => request.run === run && request.processed)) return [];
  // The end of a pipe is lost with the process that read it.
  const isCut =
    summary?.inputs[0]?.source === 'stdin' && summary.stop?.code === 'input' && summary.rows['pending'] === 0;
  const hasEnded = [0, 3, 4].includes(last?.exitCode ?? 2) || summary?.stop?.code === 'canary' || isCut;
  if (summary === undefined || !hasEnded)
    return [`the last resume of ${run} ended with ${last?.exitCode}: ${last?.stderr}`];
  problems.push(...judgeCounts(run, summary));

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
  if (delivered !== summary.rows['delivered'])
    problems.push(`${run}: results.csv has ${delivered} rows delivered, summary.json ${summary.rows['delivered']}`);
  return problems;
}

function judgeCounts(run: string, summary: Summary): readonly string[] {
  const problems: string[] = [];
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
    const torn = undelivered.split('\n').find((line) => line !== '' && parsed(line) === undefined);
    if (torn !== undefined) return [`${run}: undelivered.ndjson has a part of a line: ${torn.slice(0, 100)}`];
    return undeliveredIn(undelivered)
      .filter(({ batch, outcome, names }) => {
        const isCurrent = outcome !== 'unknown' && outcomes.get(batch) === outcome;
        return isCurrent && names.some((name) => processed.has(name));
      })
      .map(({ batch, outcome }) => `${run}: batch ${batch} is ${outcome}, and the service has processed it`);
  });
}

function summaryOf(disk: History['disk'], folder: string): Summary | undefined {
  return parsed(disk.text(`${folder}/summary.json`));
}

/** Undefined if there is none, or a part of one. */
function parsed<T>(text = ''): T | undefined {
  try {
    return JSON.parse(text);
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

function undeliveredIn(text: string) {
  return text.split('\n').flatMap((line) => {
    const one = parsed<{ readonly batch: string; readonly outcome: string; readonly payload: object }>(line);
    if (one === undefined) return [];
    const records: readonly Readonly<Record<string, string>>[] = Object.values(one.payload).flat();
    return { ...one, names: records.map((record) => record['signal_title'] ?? record['engager_name'] ?? '') };
  });
}

/** After the end, each row of what was uploaded is where the program says. */
function judgeRows(history: History): readonly string[] {
  const { files, uploaded, network, processes, said, runs, handOver } = history;
  const problems: string[] = [];
  const processed = new Set(network.requests.flatMap((request) => (request.processed ? request.names : [])));
  const last = said.slice(-runs.length);
  const kept = new Set(last.flatMap(({ undelivered }) => undeliveredIn(undelivered).flatMap(({ names }) => names)));
  for (const file of files) {
    const count = uploaded.get(file.name);
    if (count === undefined) continue;
    const missing = file.rows
      .slice(0, count)
      .filter((name) => name !== undefined && !processed.has(name) && !kept.has(name));
    if (missing.length > 0)
      problems.push(`${file.name}: ${missing.length} rows were never sent: ${missing.slice(0, 3).join(', ')}`);
    const last = processes.findLast(({ plan }) => plan.argv[0] === 'upload' && plan.argv[1] === file.name);
    if (last !== undefined && handOver === undefined && ![0, 3, 4, 6, null].includes(last.exitCode ?? null))
      problems.push(`the last upload of ${file.name} ends with ${last.exitCode}: ${last.stderr}`);
    problems.push(...judgeRejects(history, file));
  }
  return problems;
}

/** The rejects of a complete run list each invalid row once. */
function judgeRejects({ disk, runs, shards }: History, file: InputFile): readonly string[] {
  return (shards > 0 ? [] : runs).flatMap((folder) => {
    const { state, inputs } = summaryOf(disk, folder) ?? { state: 'none', inputs: [] };
    const input = inputs.find(({ source }) => source === file.name || source === 'stdin');
    if (state !== 'complete' || input === undefined) return [];
    const invalid = file.rows.filter((name) => name === undefined).length;
    const listed = disk.text(`${folder}/${input.rejects}`) ?? '';
    const found = listed.split(/missing|required/).length - 1;
    return found === invalid
      ? []
      : [`${folder}: ${invalid} rows are invalid, its rejects list ${found}: ${listed.slice(0, 600)}`];
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
