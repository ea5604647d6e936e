/**
 * The data of the benchmarks: seeded, so that every machine makes the same bytes, and stored in `bench/.data/` (not in
 * the repository). Row n depends only on n: a smaller file is the beginning of a larger one.
 *
 * Four forms of the same records, 13 fields each:
 * - `plain`: CSV, columns named like the fields, 337 bytes a row on average over a million;
 * - `export`: CSV as a funding database writes it: other names, a URL instead of a domain, dates as M/d/yyyy;
 *   its mapping is `export.yaml`;
 * - `distinct`: like `plain`, but each row has a domain and a time of its own, so that no value can be reused;
 * - `ndjson`: one object per line, numbers as numbers.
 *
 * Companies repeat, as in such exports: about five rows per company. One description in four has commas and
 * quotation marks, one name in ten has a letter beyond ASCII. No text contains a brace, because the sink counts records by braces.
 *
 * `node bench/data.mjs plain 1000000` makes one file and prints its path.
 */
import { createWriteStream } from 'node:fs';
import { mkdir, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';

const SEED = 20261120;

/** Git-ignored; every file of a benchmark lies below it. SIGNALS_BENCH_DATA names another, on a larger disk. */
export const DATA_FOLDER = path.resolve(process.env.SIGNALS_BENCH_DATA ?? path.join(import.meta.dirname, '.data'));

/** Fields in the order of the columns; the names are the interface's (variant b). */
export const FIELDS = [
  'company_name',
  'company_domain',
  'signal_title',
  'signal_source',
  'detected_at',
  'description',
  'notes',
  'signal_family',
  'industry',
  'funding_amount',
  'employee_count',
  'location',
  'hotness_score',
];

const EXPORT_COLUMNS = [
  'Company',
  'Website',
  'Headline',
  'Kind',
  'Announced',
  'Summary',
  'Remarks',
  'Family',
  'Industry',
  'Amount',
  'Staff',
  'City',
  'Score',
];

const FIRST = ['Northwind', 'Kestrel', 'Brightleaf', 'Harbor Lane', 'Oak & Ember', 'Bluefin', 'Granite Peak', 'Sable'];
const FIRST_WIDE = ['Müller', 'Ångström', 'Žižka', 'Société Émeraude'];
const SECOND = ['Robotics', 'Analytics', 'Health', 'Foods', 'Logistics', 'Energy', 'Payments', 'Materials'];
const FORMS = ['Inc.', 'GmbH', 'Ltd', 'S.A.', 'Holding AG', 'Labs'];
const SOURCES = ['funding', 'job_posting', 'linkedin', 'news', 'review_site', 'tech_install', 'twitter', 'web_visit'];
const TITLES = ['Raised a Series B of', 'Opened a plant worth', 'Signed a contract over', 'Announced a round of'];
const FAMILIES = ['growth', 'hiring', 'expansion', 'technology'];
const INDUSTRIES = ['Industrial automation', 'Health care', 'Food production', 'Financial software', 'Logistics'];
const CITIES = ['Hamburg, Germany', 'Boston, MA', 'Lyon, France', 'Toronto, Canada', 'Osaka, Japan', 'Leeds, UK'];
const NOTES = [
  'Sales: ask about the new plant in spring.',
  'Sales: met at the fair; wants a call.',
  'Sales: renewal is due next quarter.',
];
const SENTENCES = [
  'Led by Harbor Lane Capital to double the field team within the year.',
  'The money goes into a second site and into twenty new places in sales.',
  'A first step, the board says, towards a listing in the year after next.',
];
const QUOTED = 'The chief executive calls it "the largest step so far", with plants, staff and sales to follow.';

/** A hash of a row's number and of what it is for: evenly spread, the same on every machine. */
function draw(row, purpose, choices) {
  let hash = Math.imul(row + 1, 0x9e3779b1) ^ Math.imul(purpose + SEED, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  hash = Math.imul(hash ^ (hash >>> 15), 0x846ca68b);
  return ((hash ^ (hash >>> 16)) >>> 0) % choices;
}

const pick = (list, row, purpose) => list[draw(row, purpose, list.length)];
const two = (number) => String(number).padStart(2, '0');

/** What row `row` (from 0) says, before it has a form. */
function factsOf(row) {
  const company = draw(row, 1, Math.floor(row / 5) + 1);
  const names = draw(company, 2, 10) === 0 ? FIRST_WIDE : FIRST;
  const first = pick(names, company, 3);
  const second = pick(SECOND, company, 4);
  const form = pick(FORMS, company, 5);
  const staff = 5 + draw(company, 6, 9000);
  const amount = (1 + draw(row, 7, 900)) * 100_000;
  const day = new Date(Date.UTC(2024, 0, 1 + draw(row, 8, 900)));
  const text = draw(row, 9, 4) === 0 ? QUOTED : pick(SENTENCES, row, 10);
  return {
    name: draw(company, 11, 8) === 0 ? `${first} ${second}, ${form}` : `${first} ${second} ${form}`,
    domain: `${second.toLowerCase()}-${company}.example`,
    title: `${pick(TITLES, row, 12)} ${amount / 1_000_000}M`,
    source: pick(SOURCES, row, 13),
    day,
    time: `${two(draw(row, 14, 24))}:${two(draw(row, 15, 60))}:00`,
    description: `${text} Seen in the commercial register under entry number ${row}.`,
    notes: pick(NOTES, row, 16),
    family: pick(FAMILIES, row, 17),
    industry: pick(INDUSTRIES, company, 18),
    amount,
    staff,
    city: pick(CITIES, company, 19),
    score: draw(row, 20, 101),
  };
}

/** Row `row` as an object, as the interface names its fields. */
export function recordOf(row) {
  const facts = factsOf(row);
  return {
    company_name: facts.name,
    company_domain: facts.domain,
    signal_title: facts.title,
    signal_source: facts.source,
    detected_at: `${facts.day.toISOString().slice(0, 10)}T${facts.time}Z`,
    description: facts.description,
    notes: facts.notes,
    signal_family: facts.family,
    industry: facts.industry,
    funding_amount: facts.amount,
    employee_count: facts.staff,
    location: facts.city,
    hotness_score: facts.score,
  };
}

const cell = (value) => {
  const text = String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
const line = (values) => `${values.map(cell).join(',')}\n`;

const forms = {
  plain: {
    ending: 'csv',
    header: line(FIELDS),
    row: (row) => line(Object.values(recordOf(row))),
  },
  export: {
    ending: 'csv',
    header: line(EXPORT_COLUMNS),
    row: (row) => {
      const facts = factsOf(row);
      const { day } = facts;
      return line([
        facts.name,
        `https://www.${facts.domain}/about`,
        facts.title,
        facts.source,
        `${day.getUTCMonth() + 1}/${day.getUTCDate()}/${day.getUTCFullYear()}`,
        facts.description,
        facts.notes,
        facts.family,
        facts.industry,
        facts.amount,
        facts.staff,
        facts.city,
        facts.score,
      ]);
    },
  },
  distinct: {
    ending: 'csv',
    header: line(FIELDS),
    row: (row) => {
      const record = recordOf(row);
      // Half a minute apart, over nearly a year for a million rows.
      const time = new Date(Date.UTC(2025, 0, 1) + row * 30_000).toISOString().replace('.000', '');
      return line(Object.values({ ...record, company_domain: `company-${row}.example`, detected_at: time }));
    },
  },
  ndjson: {
    ending: 'ndjson',
    header: '',
    row: (row) => `${JSON.stringify(recordOf(row))}\n`,
  },
};

/**
 * The path of a file of `rows` rows, made where it does not exist yet.
 * @param {'plain' | 'distinct' | 'export' | 'ndjson'} form
 * @param {number} rows
 * @returns {Promise<string>}
 */
export async function dataFile(form, rows) {
  const { ending, header, row } = forms[form];
  const file = path.join(DATA_FOLDER, `${form}-${rows}.${ending}`);
  if (await stat(file).catch(() => undefined)) return file;
  await mkdir(DATA_FOLDER, { recursive: true });
  // Renamed when it is complete, so that a file of that name is never truncated.
  const unfinished = `${file}.${process.pid}`;
  await pipeline(blocks(header, row, rows), createWriteStream(unfinished));
  await rename(unfinished, file);
  return file;
}

function* blocks(header, row, rows) {
  let block = header;
  for (let number = 0; number < rows; number += 1) {
    block += row(number);
    if (block.length < 1 << 20) continue;
    yield block;
    block = '';
  }
  yield block;
}

if (process.argv[1] === import.meta.filename) {
  const [form = '', rows = ''] = process.argv.slice(2);
  if (!Object.hasOwn(forms, form) || !/^[1-9]\d*$/.test(rows)) {
    process.stderr.write(`usage: node bench/data.mjs ${Object.keys(forms).join('|')} ROWS\n`);
    process.exitCode = 2;
  } else {
    process.stdout.write(`${await dataFile(form, Number(rows))}\n`);
  }
}
