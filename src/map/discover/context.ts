/** What a column and a field are in the context of their table: rivals, the other columns, the file. The trees weigh it. */
import type { Column } from './column.ts';
import { FACTS } from './column-facts.ts';
import type { Reading } from './readings.ts';
import { domainIn } from './text-kinds.ts';

/** A column with its facts and the scores of the linear part. */
export interface ScoredColumn {
  readonly column: Column;
  readonly facts: Float32Array;
  /** By part and class: the contribution of header words, of letters and of values. */
  readonly scores: readonly Float32Array[];
}

/** A softmax over the fields of one type and "none", which comes last. */
export interface FieldOdds {
  /** By column, then by class. */
  readonly odds: readonly Float32Array[];
  readonly shares: readonly Float32Array[];
}

export interface Table {
  readonly columns: readonly ScoredColumn[];
  /** By type, in the order of the model. */
  readonly byType: readonly FieldOdds[];
  /** Scores for the types of tables. */
  readonly types: Float32Array;
  /** Indexes of meanings that are features by themselves. */
  readonly common: readonly string[];
}

export function fieldOdds(columns: readonly ScoredColumn[], bias: Float32Array, from: number, to: number): FieldOdds {
  const odds = columns.map(({ scores }) => {
    const sums = bias.slice(from, to);
    for (const part of scores)
      for (let at = from; at < to; at += 1) sums[at - from] = (sums[at - from] ?? 0) + (part[at] ?? 0);
    return sums;
  });
  return { odds, shares: odds.map(softmax) };
}

function softmax(scores: Float32Array): Float32Array {
  const most = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - most));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}

/** Pairs of a column and a field that are worth a look. */
export function candidatePairs({ shares }: FieldOdds): readonly (readonly [column: number, field: number])[] {
  const pairs: [number, number][] = [];
  const fields = (shares[0]?.length ?? 1) - 1;
  for (let field = 0; field < fields; field += 1) {
    let best = 0;
    for (const share of shares) best = Math.max(best, share[field] ?? 0);
    shares.forEach((share, column) => {
      const own = share[field] ?? 0;
      if (own >= 0.02 || (own === best && own >= 0.004)) pairs.push([column, field]);
    });
  }
  return pairs;
}

/** Facts of the table that all its pairs share. */
export function tableFacts(table: Table): readonly number[] {
  const { columns, byType, types, common } = table;
  const best = byType.flatMap(({ shares }) => {
    const fields = (shares[0]?.length ?? 1) - 1;
    return Array.from({ length: fields }, (_, field) => Math.max(0, ...shares.map((share) => share[field] ?? 0)));
  });
  // How many columns are some field.
  const filled = byType.map(({ shares }) => shares.reduce((sum, share) => sum + 1 - (share.at(-1) ?? 1), 0));
  const present = new Set(columns.flatMap(({ column }) => [...column.meanings.precise]));
  return [
    ...types,
    Math.log2(1 + columns.length),
    ...filled,
    ...filled.map((sum) => sum / columns.length),
    ...best,
    ...common.map((meaning) => Number(present.has(meaning))),
  ];
}

/** What all pairs of a table and a type have in common. */
export interface SharedFacts {
  /** Index of the type in the model. */
  readonly type: number;
  /** Of {@link tableFacts}. */
  readonly facts: readonly number[];
}

export function pairFacts(
  table: Table,
  { type, facts: shared }: SharedFacts,
  [column, field]: readonly [column: number, field: number],
  { ways, doubt }: Reading,
): Float32Array {
  const { odds, shares } = table.byType[type] as FieldOdds;
  const own = table.columns[column] as ScoredColumn;
  const ownOdds = odds[column] as Float32Array;
  const ownShares = shares[column] as Float32Array;
  const none = ownOdds.length - 1;
  const offset = table.byType.slice(0, type).reduce((sum, each) => sum + (each.odds[0]?.length ?? 0), 0);
  const z = (ownOdds[field] ?? 0) - (ownOdds[none] ?? 0);
  let other = -20;
  for (let at = 0; at < none; at += 1)
    if (at !== field) other = Math.max(other, (ownOdds[at] ?? 0) - (ownOdds[none] ?? 0));
  let rival = -1;
  let better = 0;
  let several = 0;
  shares.forEach((share, index) => {
    if (index === column) return;
    const theirs = share[field] ?? 0;
    if (theirs > (rival < 0 ? -1 : (shares[rival]?.[field] ?? 0))) rival = index;
    if (theirs > (ownShares[field] ?? 0)) better += 1;
    if (theirs > 0.2) several += 1;
  });
  const rivalShare = rival < 0 ? 0 : (shares[rival]?.[field] ?? 0);
  const rivalOdds = rival < 0 ? -20 : (odds[rival]?.[field] ?? 0) - (odds[rival]?.[none] ?? 0);
  const names = bestColumn(table, 0, 0);
  const { meanings } = own.column;
  const numbers = [
    ownShares[field] ?? 0,
    z,
    ...own.scores.map((part) => (part[offset + field] ?? 0) - (part[offset + none] ?? 0)),
    z - other,
    ownShares[none] ?? 0,
    rivalShare,
    z - rivalOdds,
    better,
    several,
    rival < 0 ? 0 : Math.sign(rival - column),
    rival < 0 || rivalShare < 0.05 ? 0 : sameCells(own, table.columns[rival] as ScoredColumn),
    rival < 0 ? 0 : (table.columns[rival]?.facts[FACTS.indexOf('filled')] ?? 0),
    column,
    column / table.columns.length,
    meanings.known.size,
    meanings.unknown.length,
    names === undefined || names === own ? -1 : repeated(own, names),
    names === undefined || names === own ? -1 : alike(own, names),
    type,
    Number(ways.length > 1 || doubt !== undefined),
    // Kinds that the words of a column mean.
    Math.max(0, ...ways.map((way) => ('values' in way ? new Set(Object.values(way.values)).size : 0))),
  ];
  const one = Array.from(
    { length: table.byType.reduce((sum, each) => sum + (each.odds[0]?.length ?? 1) - 1, 0) },
    () => 0,
  );
  one[offset - type + field] = 1;
  return Float32Array.from([...numbers, ...own.facts, ...one, ...shared]);
}

function bestColumn({ columns, byType }: Table, type: number, field: number): ScoredColumn | undefined {
  let best: ScoredColumn | undefined;
  let most = 0.5;
  byType[type]?.shares.forEach((share, index) => {
    if ((share[field] ?? 0) > most) {
      most = share[field] ?? 0;
      best = columns[index];
    }
  });
  return best;
}

function sameCells({ column: one }: ScoredColumn, { column: other }: ScoredColumn): number {
  const { cells } = one.profile;
  return (
    cells.filter((cell, row) => cell !== '' && cell === other.profile.cells[row]).length /
    Math.max(1, one.profile.texts.length)
  );
}

/** The share of values that are names in the other column. */
function repeated({ column: { profile } }: ScoredColumn, names: ScoredColumn): number {
  const known = new Set(names.column.profile.distinct);
  return profile.distinct.filter((text) => known.has(text)).length / Math.max(1, profile.distinct.length);
}

/** The share of rows whose text or domain has the company's name, of the first rows. */
function alike({ column: { profile } }: ScoredColumn, names: ScoredColumn): number {
  let both = 0;
  let same = 0;
  for (let row = 0; row < Math.min(20, profile.cells.length); row += 1) {
    const name = bare(names.column.profile.cells[row] ?? '');
    const text = profile.cells[row] ?? '';
    if (name === '' || text === '') continue;
    both += 1;
    const [first = ''] = name.split(' ');
    const domain = text.includes('.') && !text.includes(' ') ? domainIn(text) : undefined;
    const label = domain === undefined ? undefined : bare(domain.split('.')[0] ?? '').replaceAll(' ', '');
    if (
      label === undefined
        ? bare(text).includes(name)
        : (first.length > 2 && label.includes(first)) || (label.length > 2 && name.replaceAll(' ', '').includes(label))
    )
      same += 1;
  }
  return both === 0 ? 0 : same / both;
}

function bare(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
