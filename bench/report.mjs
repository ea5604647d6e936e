/** Results as text: one table for a series, and the table of targets. Pure; run.mjs prints the result. */
import { good, median, ratio, settingText } from './rounds.mjs';
import { perMillion, reached } from './targets.mjs';

const NOTHING = '–';

/** A series as text, with its machine. */
export function seriesText(name, title, machine, cells) {
  const heading = `${title} (--series ${name})`;
  const measured = cells.filter(({ runs }) => runs.size > 0);
  const body = name === 'latency' ? latencyTable(measured) : measured.map(cellText).join('\n\n');
  return `${heading}\n${'-'.repeat(heading.length)}\n${machine}\n\n${body}`;
}

/** What the times of the others are divided by, where it takes part. */
const BASES = ['node -e 0', 'upload', 'upload, transforms', 'upload ndjson'];

function cellText(cell) {
  const { setting, runs } = cell;
  // Commands that read no rows have no figures a row.
  const withRows = setting.rows > 0;
  const bases = BASES.filter((base) => runs.has(base));
  const head = [
    'contestant',
    'time',
    ...(withRows ? ['rows/s', 'CPU s/million', 'peak MB', 'requests', 'sink busy'] : []),
    ...bases.map((base) => `time / ${base}`),
  ];
  const rows = [...runs].map(([name, list]) => {
    const fault = faultOf(list);
    if (fault !== undefined) return [name, fault];
    const wall = wallOf(list);
    return [
      name,
      withRows ? `${wall.toFixed(2)} s` : `${(wall * 1000).toFixed(0)} ms`,
      ...(withRows ? figuresARow(cell, name, wall) : []),
      ...bases.map((base) => (base === name ? NOTHING : `${number(ratio(list, runs.get(base)))} x`)),
    ];
  });
  const inner = good(runs.get('bare loop')).map((run) => run.inner);
  return [
    withRows ? `${settingText(setting)}, ${rounds(setting.rounds)}` : rounds(setting.rounds),
    table([head, ...rows]),
    ...(inner.length === 0
      ? []
      : [`The loop of the bare loop alone, without start-up: ${whole(setting.rows / median(inner))} records/s.`]),
  ].join('\n');
}

function figuresARow(cell, name, wall) {
  const runs = cell.runs.get(name);
  const peaks = runs.flatMap(({ peak }) => (peak === undefined ? [] : [peak / 1e6]));
  return [
    whole(cell.setting.rows / wall),
    number(perMillion(cell, name)),
    whole(median(peaks)),
    whole(median(runs.map(({ requests }) => requests))),
    `${whole(median(runs.map((run) => (run.sinkCpu / run.wall) * 100)))}%`,
  ];
}

function latencyTable(cells) {
  const names = ['upload', 'upload, transforms'];
  const rows = cells.map(({ setting, runs }) => [
    `${setting.latencyMs} ms`,
    String(setting.connections),
    whole(setting.rows),
    ...['bare loop', ...names].map((name) =>
      faultOf(runs.get(name)) === undefined ? `${number(wallOf(runs.get(name)))} s` : 'FAILED',
    ),
    ...names.map((name) => `${number(ratio(runs.get('bare loop'), runs.get(name)) * 100)}%`),
  ]);
  const head = [
    'answers after',
    'connections',
    'rows',
    'bare loop',
    ...names,
    ...names.map((name) => `share, ${name}`),
  ];
  const faults = cells.flatMap(({ setting, runs }) =>
    [...runs].flatMap(([name, list]) => {
      const fault = faultOf(list);
      return fault === undefined ? [] : [`${settingText(setting)}: ${name} ${fault}`];
    }),
  );
  return [rounds(cells[0]?.setting.rounds ?? 0), table([head, ...rows]), ...faults].join('\n');
}

const wallOf = (runs) => median(good(runs).map(({ wall }) => wall));
const faultOf = (runs) => runs?.find((run) => run.fault !== undefined)?.fault;
const rounds = (count) => (count === 1 ? 'one round' : `medians of ${count} rounds`);

/** The table of targets as text: those of the series that were run. The others are counted. */
export function targetsText(targets) {
  const cell = (target, goal) => {
    if (goal === undefined) return [NOTHING, NOTHING];
    const limit = `${target.kind === 'least' ? '>=' : '<='} ${target.show(goal.limit)}`;
    const verdict = { true: 'reached', false: 'MISSED', undefined: 'not measured' }[reached(target, goal)];
    return [limit, Number.isNaN(goal.value) ? verdict : `${target.show(goal.value)} ${verdict}`];
  };
  const measured = targets.filter((target) =>
    [target.plain, target.transforms].some((goal) => goal !== undefined && !Number.isNaN(goal.value)),
  );
  const tableOf = (title, ambition) => {
    const lines = measured
      .filter((target) => (target.ambition === true) === ambition)
      .map((target) => [target.figure, ...cell(target, target.plain), ...cell(target, target.transforms)]);
    return lines.length === 0 ? [] : [table([[title, 'plain', '', 'with transforms', ''], ...lines])];
  };
  const others = targets.length - measured.length;
  return [
    ...tableOf('target', false),
    ...tableOf('ambition', true),
    ...(others === 0 ? [] : [`${others} of ${targets.length} lines were not measured by what was run.`]),
  ].join('\n\n');
}

/** Columns of equal width; the first to the left, the others to the right. A short row ends where it ends. */
export function table(rows) {
  const widths = [];
  for (const row of rows) {
    if (row.length < rows[0].length) continue;
    row.forEach((text, column) => {
      widths[column] = Math.max(widths[column] ?? 0, text.length);
    });
  }
  return rows
    .map((row) =>
      row
        .map((text, column) =>
          column === 0 ? text.padEnd(widths[0]) : text.padStart(row.length < widths.length ? 0 : widths[column]),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

const known = (value, text) => (Number.isNaN(value) ? NOTHING : text(value));
const whole = (value) => known(value, () => Math.round(value).toLocaleString('en'));
const number = (value) => known(value, () => value.toFixed(2));
