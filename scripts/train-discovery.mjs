/**
 * `node scripts/train-discovery.mjs`: learns src/map/discover/weights.json from fixtures/headers. Deterministic, without a library.
 * No label of a held-out table is read here: scripts/evaluate-discovery.mjs alone does.
 *
 * 1. A softmax regression a record type gives each column a score for each field; another one gives a table one for each type.
 * 2. A second one weighs these scores with the rest of the table. It learns from scores of columns that the first one has not
 *    seen (cross-fitting by origin), because those of seen ones are too good.
 * 3. A third one weighs what the table's columns seem to be, and its subjects, for its type.
 */
import { writeFileSync } from 'node:fs';
import { report } from './discovery-report.mjs';
import { hashOf, trainClasses } from './learning.mjs';
import { loadDiscovery } from './load-discovery.mjs';

const d = await loadDiscovery();
const { CLASSES, FIELDS, SPACE, TABLE_TYPES } = d;
const PARTS = 5;
/** Of the sources, for a learning curve. */
const SHARE = Number(process.env.SHARE ?? 1);

/** How much a table counts for columns, and for types. Invented ones are many, and made by few. */
const COUNTS = {
  'collected.ndjson': [2.5, 2],
  'real.ndjson': [1, 0.7],
  'invented.ndjson': [0.5, 0.25],
  'small.ndjson': [3, 1],
};

function readTables() {
  const files = Object.entries(COUNTS).flatMap(([file, [weight, ofType]]) =>
    d.headerTables(file).map((table) => ({ table: { ...table, from: file, ofType }, weight })),
  );
  const all = [...files, ...d.typedTables().map((table) => ({ table: { ...table, ofType: 0.4 }, weight: 1 }))];
  const seen = all.filter(({ table }) => (hashOf(`${table.origin}?`) % 1000) / 1000 < SHARE);
  return seen.flatMap(({ table, weight }) =>
    d.typeOfFields(table) === undefined ? [{ table, weight }] : [{ table, weight }, ...poorer(table, weight)],
  );
}

/** What a table would be with few rows and columns, and without its headers, which only leaves questions, or without its rows. */
function poorer(table, weight) {
  const names = new Map(table.columns.map((name) => [name, strangeWord(`${table.origin} ${name}`)]));
  const renamed = Object.entries(table.mapping).flatMap(([field, way]) =>
    way.column ? [[field, [names.get(way.column)]]] : [],
  );
  const more = { type: table.type, told: d.typeOfFields(table), mapping: {}, either: {}, plausible: [] };
  const bare = {
    ...table,
    ...more,
    columns: [...names.values()],
    ask: Object.fromEntries(renamed),
    isPoor: true,
    from: undefined,
  };
  const isKept = table.columns.map((name) => hashOf(`${name} ${table.origin}`) % 2 === 0);
  const few = table.rows.slice(0, 2).map((row) => row.filter((_, at) => isKept[at]));
  const columns = table.columns.filter((_, at) => isKept[at]);
  const other = hashOf(`${table.origin}!`) % 3;
  return [
    { table: { ...table, columns, rows: few, isPoor: true, from: undefined }, weight: weight * 0.8 },
    ...(other === 0 ? [{ table: { ...bare, rows: table.rows.map((row) => [...row]) }, weight: weight * 0.5 }] : []),
    ...(other === 1 ? [{ table: { ...table, rows: [], isPoor: true, from: undefined }, weight: weight * 0.5 }] : []),
  ];
}

/** A word that no language has. */
function strangeWord(text) {
  const length = 4 + (hashOf(text) % 6);
  const letters = Array.from({ length }, (_, at) => 'bcdfghjklmnpqrstvwxzaeiouy'[hashOf(`${text}${at}`) % 26]);
  return letters.join('');
}

/** What a column is, as a share for each field of its type, "none" last. */
function labelOf(table, type, name) {
  const { names } = FIELDS.find((each) => each.type === type);
  const canonical = (field) => d.contracts[type].field(field)?.name;
  const fieldsOf = (lists) =>
    Object.entries(lists ?? {}).flatMap(([field, columns]) =>
      [columns].flat().includes(name) ? [canonical(field)] : [],
    );
  const used = Object.entries(table.mapping).flatMap(([field, way]) =>
    way.column === name || (field === 'engagement_date' && way.template?.startsWith(`{${name}}`))
      ? [canonical(field)]
      : [],
  );
  const either = fieldsOf(table.either);
  const ask = Array.isArray(table.ask) ? [] : fieldsOf(table.ask);
  const share = (fields, sum) =>
    names.map((field) => (fields.includes(field) ? sum / fields.length : 0)).concat(1 - sum);
  const isPlausible = table.plausible?.includes(name) === true;
  const label = { used: used[0], either, ask, isPlausible };
  if (used.length > 0) return { ...label, target: share(used.slice(0, 1), 1), weight: 1 };
  if (either.length > 0) return { ...label, target: share(either, 0.7), weight: 0.6 };
  if (ask.length > 0) return { ...label, target: share(ask, 0.5), weight: 0.6 };
  if (table.never?.includes(name)) return { ...label, target: share([], 0), weight: 2 };
  return { ...label, target: share([], 0), weight: isPlausible ? 0.4 : 1 };
}

function prepare({ table, weight }) {
  const type = d.typeOfFields(table);
  const columns = d.columnsIn(table).map((column) => {
    const facts = d.columnFacts(column.profile);
    const parts = d.featuresOf(column, facts);
    const features = { places: parts.flatMap(({ places }) => places), values: parts.flatMap(({ values }) => values) };
    return { column, features, label: type && labelOf(table, type, column.name) };
  });
  const root = Math.sqrt(columns.length);
  const file = d.fileFeatures(table.file ?? '');
  const bag = {
    places: columns.flatMap(({ features }) => features.places).concat(file.places),
    values: columns.flatMap(({ features }) => features.values.map((value) => value / root)).concat(file.values),
    target: targetOf(table),
    weight: table.isPoor || table.type === undefined ? 0 : table.ofType,
  };
  return { table, type, columns, bag, weight, part: (hashOf(`${table.origin}/`) >>> 3) % PARTS };
}

/** The types that the table can be called, and none, each with its share. */
function targetOf({ type, typeEither = [] }) {
  const known = TABLE_TYPES.map((each) => Number(each === type || typeEither.includes(each)));
  const count = known.reduce((total, each) => total + each, 0);
  return [...known.map((each) => each / (count || 1)), Number(count === 0)];
}

/** The linear part: for each place the classes of all heads side by side. */
function trainLinear(tables) {
  const linear = new Float32Array((SPACE + 1) * CLASSES);
  let from = 0;
  const heads = [
    ...FIELDS.map(({ type, names }) => ({
      size: names.length + 1,
      epochs: 12,
      rate: 0.15,
      decay: 1e-4,
      examples: tables
        .filter((each) => each.type === type)
        .flatMap(({ columns, weight }) =>
          columns.map(({ features, label }) => ({
            ...features,
            target: label.target,
            weight: weight * label.weight,
          })),
        ),
    })),
    {
      size: TABLE_TYPES.length,
      epochs: 15,
      rate: 0.1,
      decay: 3e-4,
      isApart: true,
      examples: tables
        .filter(({ bag }) => bag.weight > 0)
        .map(({ bag }) => ({ ...bag, target: bag.target.slice(0, TABLE_TYPES.length) })),
    },
  ];
  for (const head of heads) {
    const learnt = trainClasses(head.examples, SPACE, head);
    for (let row = 0; row <= SPACE; row += 1) {
      for (let at = 0; at < head.size; at += 1) linear[row * CLASSES + from + at] = learnt[row * head.size + at];
    }
    from += head.size;
  }
  return d.decodeLinear(encodeLinear(linear));
}

/** Places whose weights are kept. */
const PLACES = 6600;

/** One character a weight, of the places with the greatest weights; the bias is the last. */
function encodeLinear(linear) {
  const sizes = Array.from({ length: SPACE }, (_, place) => {
    const row = linear.subarray(place * CLASSES, (place + 1) * CLASSES);
    return [place, row.reduce((sum, weight) => sum + weight * weight, 0)];
  });
  const kept = sizes.sort((one, other) => other[1] - one[1]).slice(0, PLACES);
  const places = [...kept.map(([place]) => place).sort((one, other) => one - other), SPACE];
  const weightsOf = (place) => Array.from(linear.subarray(place * CLASSES, (place + 1) * CLASSES));
  const scales = Array.from({ length: CLASSES }, (_, each) =>
    Number(Math.max(...places.map((place) => Math.abs(linear[place * CLASSES + each]))).toPrecision(6)),
  );
  const characterOf = (weight, each) => {
    const root = Math.sign(weight) * Math.sqrt(Math.min(1, Math.abs(weight) / (scales[each] || 1)));
    const code = 48 + 31 + Math.round(31 * root);
    return String.fromCharCode(code);
  };
  const gaps = places.map((place, at) => place - (places[at - 1] ?? 0));
  return { gaps, linear: places.flatMap((place) => weightsOf(place).map(characterOf)).join(''), scales };
}

/** Pairs of columns and fields with what is known of them, and whether they are right. */
function pairsOf(tables, linear) {
  return tables.flatMap(({ table, type, columns, weight, part }) => {
    if (type === undefined) return [];
    const scored = d.scoreTable(
      columns.map(({ column }) => column),
      table.file,
      linear,
    );
    const labels = new Map(columns.map(({ column, label }) => [column, label]));
    return d
      .readablePairs(
        scored,
        FIELDS.findIndex((each) => each.type === type),
      )
      .map(({ column, field, facts }) => {
        const { used, either, ask, isPlausible } = labels.get(column);
        const isEither = used !== field && either.includes(field);
        const [share] = facts;
        const target =
          used === field ? 1 : isEither ? 0.8 : ask.includes(field) ? 0.4 : isPlausible && share > 0.1 ? 0.3 : 0;
        return {
          facts,
          target: [target, 1 - target],
          weight: weight * (isEither ? 0.4 : 1),
          part,
        };
      });
  });
}

const tables = readTables().map(prepare);
const parts = Array.from({ length: PARTS }, (_, part) => part);
const linears = parts.map((part) => trainLinear(tables.filter((each) => each.part !== part)));
const pairs = parts.flatMap((part) =>
  pairsOf(
    tables.filter((each) => each.part === part),
    linears[part],
  ),
);
const linear = trainLinear(tables);
const ofTypes = parts.flatMap((part) =>
  tables
    .filter((each) => each.part === part && each.bag.weight > 0)
    .map(({ table, columns, bag }) => {
      const scored = d.scoreTable(
        columns.map(({ column }) => column),
        table.file,
        linears[part],
      );
      return { facts: d.typeFacts(scored, table.file), target: bag.target, weight: bag.weight, part };
    }),
);

const PAIRS = { size: 2, epochs: 20, rate: 0.03, decay: 5e-5 };

/** Facts are many and tables few: the weights stay small. */
const TYPES = { size: TABLE_TYPES.length + 1, epochs: 30, rate: 0.01, decay: 0.08 };

/** A regression of all facts, which are brought to one scale. */
function regressionOf(examples, options) {
  const count = examples[0].facts.length;
  const sum = examples.reduce((total, { weight }) => total + weight, 0);
  const mean = (of) => examples.reduce((total, each) => total + each.weight * of(each), 0) / sum;
  const short = (value) => Number(value.toPrecision(3));
  const scales = Array.from({ length: count }, (_, fact) => {
    const middle = mean(({ facts }) => facts[fact]);
    return [short(middle), short(Math.sqrt(mean(({ facts }) => (facts[fact] - middle) ** 2))) || 1];
  });
  const places = scales.map((_, fact) => fact);
  const learnt = trainClasses(
    examples.map(({ facts, ...each }) => ({ ...each, places, values: d.standardised(facts, scales) })),
    count,
    options,
  );
  const rows = [...scales, [0, 1]].map((scale, row) => [
    ...scale,
    ...learnt.subarray(row * options.size, (row + 1) * options.size),
  ]);
  return rows.map(([middle, spread, ...own]) => [middle, spread, ...own.map((each) => Number(each.toFixed(3)))]);
}

const weights = {
  ...encodeLinear(linear),
  pairs: regressionOf(pairs, PAIRS),
  types: regressionOf(ofTypes, TYPES),
  // By --folds: from here on, most wrong columns are those that readers disagree about.
  use: 0.68,
  useOf: {
    company_domain: 0.58,
    company_name: 0.7,
    description: 0.9,
    detected_at: 0.73,
    employee_count: 0.73,
    engagement_date: 0.73,
    funding_amount: 0.85,
    location: 0.78,
    post_content: 0.78,
    signal_title: 0.73,
  },
  ask: 0.1,
  // A wrong record type is sent; a table that is called neither is asked about.
  type: [0.63, 0.63, 0.63],
};
d.useWeights(weights);
const trained = { from: d.trainedFrom(), ...weights };
writeFileSync(process.env.OUT ?? 'src/map/discover/weights.json', `${JSON.stringify(trained)}\n`);
process.stdout.write(`${tables.length} tables, ${pairs.length} pairs\n`);
// On its own tables, each part by weights that do not know it: for choosing features and limits without the held-out tables.
if (process.argv.includes('--folds')) {
  const ofPart = parts.map((part) => ({
    ...weights,
    ...encodeLinear(linears[part]),
    pairs: regressionOf(
      pairs.filter((each) => each.part !== part),
      PAIRS,
    ),
    types: regressionOf(
      ofTypes.filter((each) => each.part !== part),
      TYPES,
    ),
  }));
  for (const file of ['collected.ndjson', 'real.ndjson']) {
    const ofFile = (part) => tables.filter(({ table, part: own }) => table.from === file && own === part);
    const judged = ofPart.map((weightsOfPart, part) => [weightsOfPart, ofFile(part).map(({ table }) => table)]);
    report(d, `${file}, ${PARTS} folds by source`, new Map(judged), { wrongs: true });
  }
}
