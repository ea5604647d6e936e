/** Figures about discovery on labelled tables: of types, of columns, of honesty, and wrong against found as thresholds move. */

/** Thresholds of the curves. */
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
export function report(d, title, judged, { curves = true, wrongs = false } = {}) {
  const all = [...judged.values()].flat();
  const hasColumns = ({ type }) => type === 'signals' || type === 'social';
  const each = (change, result) =>
    [...judged].flatMap(([weights, tables]) => {
      d.useWeights({ ...weights, ...change });
      return tables.flatMap((table) => result(table) ?? []);
    });
  const typeLine = (change) => {
    const verdicts = each(change, (table) => [[table.type, d.judgeType(table)]]);
    const typed = verdicts.filter(([type]) => type !== null);
    const count = (what) => typed.filter(([, verdict]) => verdict === what).length;
    const rash = verdicts.filter(([type, verdict]) => type === null && verdict === 'wrong').length;
    const shares = `${percent(count('right'), typed.length)} right, ${percent(count('wrong'), typed.length)} wrong`;
    return `types: ${shares} of ${typed.length}; ${rash} of ${verdicts.length - typed.length} whose type cannot be known got one`;
  };
  const columnLine = (change) => {
    const results = each(change, (table) => (hasColumns(table) ? [{ ...d.judge(table), name: table.name }] : []));
    const sum = (key) => results.reduce((total, result) => total + result[key], 0);
    const wrong = results.reduce((total, result) => total + result.wrong.length, 0);
    if (wrongs && change === undefined)
      for (const result of results) for (const one of result.wrong) print(`    ${result.name}: ${one}`);
    const [wanted, found, asked] = [sum('wanted'), sum('found'), sum('asked')];
    const shares = `${percent(found, wanted)} used, ${percent(found + asked, wanted)} used or asked of ${wanted}`;
    return `columns: ${shares}; wrong of used ${percent(wrong, found + wrong)} (${wrong})`;
  };
  print(`${title}: ${all.length} tables, ${all.filter(hasColumns).length} with columns`);
  print(`  ${typeLine()}`);
  print(`  ${columnLine()}`);
  if (!curves) return;
  const pairs = each(undefined, (table) => (hasColumns(table) ? pairsOf(d, table) : []));
  for (let from = 0; from < 1; from += 0.1) {
    const those = pairs.filter(({ probability }) => probability >= from && probability < from + 0.1);
    const said = those.reduce((sum, { probability }) => sum + probability, 0);
    const right = those.filter((pair) => pair.right).length;
    print(
      `  pairs at ${percent(from, 1)}: ${those.length}, said ${percent(said, those.length)}, right ${percent(right, those.length)}`,
    );
  }
  for (const use of STEPS) print(`  use from ${use}: ${columnLine({ use })}`);
  for (const type of STEPS) print(`  type from ${type}: ${typeLine({ type })}`);
}

/** How likely each column is each field, and whether the label agrees. */
function pairsOf(d, { columns, rows, file, mapping, either = {}, type }) {
  return d
    .likelihoods(d.scoredTable({ columns, rows, name: file }), d.contracts[type])
    .map(({ column: { name }, field, probability }) => {
      const right = mapping[field]?.column === name || [either[field]].flat().includes(name);
      return { right, probability };
    });
}
