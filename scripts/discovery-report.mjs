/** Figures about discovery on labelled tables: of types, of columns, of honesty, and wrong against found as limits move. */

/** Limits of the curves. */
const STEPS = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98];

function percent(part, whole) {
  return `${(whole === 0 ? 0 : (100 * part) / whole).toFixed(1)}%`;
}

function print(line) {
  process.stdout.write(`${line}\n`);
}

/**
 * @param d as `loadDiscovery` gives it
 * @param judged tables by the weights that judge them
 */
export function report(d, title, judged, { wrongs = false } = {}) {
  const hasColumns = ({ type }) => type === 'signals' || type === 'social';
  // Weights stay loaded for all limits: scored tables are cached by them.
  const results = [...judged].flatMap(([weights, tables]) => {
    d.useWeights(weights);
    const at = (change, judge) => {
      Object.assign(d.weights(), change);
      const result = judge();
      Object.assign(d.weights(), { use: weights.use, useOf: weights.useOf, type: weights.type });
      return result;
    };
    return tables.map((table) => ({
      table,
      type: d.judgeType(table),
      types: STEPS.map((type) => at({ type: [type, type, type] }, () => d.judgeType(table))),
      ...(hasColumns(table) && {
        columns: d.judge(table),
        used: at({ use: STEPS[0], useOf: {} }, () => d.judge(table)).used,
        pairs: pairsOf(d, table),
      }),
    }));
  });
  const mapped = results.filter(({ columns }) => columns !== undefined);
  print(`${title}: ${results.length} tables, ${mapped.length} with columns`);
  print(`  types: ${typeLine(results, ({ type }) => type)}`);
  const sum = (key) => mapped.reduce((total, { columns }) => total + columns[key], 0);
  const wrong = mapped.reduce((total, { columns }) => total + columns.wrong.length, 0);
  const [wanted, found] = [sum('wanted'), sum('found')];
  if (wrongs)
    for (const { table, columns } of mapped) for (const one of columns.wrong) print(`    ${table.name}: ${one}`);
  print(
    `  columns: ${percent(found, wanted)} used, ${percent(found + sum('asked'), wanted)} used or asked of ${wanted}`,
  );
  print(`  wrong of used: ${percent(wrong, found + wrong)} (${wrong})`);
  const pairs = mapped.flatMap((each) => each.pairs);
  for (let from = 0; from < 1; from += 0.1) {
    const those = pairs.filter(({ probability }) => probability >= from && probability < from + 0.1);
    const said = those.reduce((total, { probability }) => total + probability, 0);
    const right = those.filter((pair) => pair.isRight).length;
    print(
      `  pairs at ${percent(from, 1)}: ${those.length}, said ${percent(said, those.length)}, right ${percent(right, those.length)}`,
    );
  }
  const used = mapped.flatMap((each) => each.used);
  for (const limit of STEPS) {
    const those = used.filter(({ confidence }) => confidence >= limit);
    const right = those.filter(({ isRight }) => isRight).length;
    print(
      `  use from ${limit}: ${percent(right, wanted)} used; wrong of used ${percent(those.length - right, those.length)}`,
    );
  }
  STEPS.forEach((limit, at) => {
    print(`  type from ${limit}: ${typeLine(results, ({ types }) => types[at])}`);
  });
  return used;
}

function typeLine(results, verdictOf) {
  const typed = results.filter(({ table }) => table.type !== null);
  const count = (what) => typed.filter((each) => verdictOf(each) === what).length;
  const rash = results.filter((each) => each.table.type === null && verdictOf(each) === 'wrong').length;
  const shares = `${percent(count('right'), typed.length)} right, ${percent(count('wrong'), typed.length)} wrong`;
  return `${shares} of ${typed.length}; ${rash} of ${results.length - typed.length} without a type got a wrong one`;
}

/** How likely each column is each field, and whether the label agrees. */
function pairsOf(d, { columns, rows, file, mapping, either = {}, type }) {
  return d
    .likelihoods(d.scoredTable({ columns, rows, name: file }), d.contracts[type])
    .map(({ column: { name }, field, probability }) => {
      const isRight = mapping[field]?.column === name || [either[field]].flat().includes(name);
      return { isRight, probability };
    });
}
