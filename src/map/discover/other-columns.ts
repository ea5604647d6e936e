/** What other columns say against a candidate, row by row. The scorer judges the values of each column alone. */
import { withoutAccents } from '../../lib/text.ts';
import { type Column, columnsIn, type Sample, share } from './column.ts';
import type { Likelihood } from './scorer.ts';
import { isRelative, pageOf } from './text-kinds.ts';

/** The probability of a candidate that other columns speak against: no longer certain, and taken only by the user. */
const DOUBTED = 0.49;

/** Times within it are those of an export. */
const DAY_MS = 24 * 60 * 60 * 1000;

/** Fewer rows can be of one day. */
const FEW = 5;

/** Lowers the probability of a person if the rows name two, and of a time if it is that of the export. */
export function doubted(candidates: readonly Likelihood[], sample: Sample): readonly Likelihood[] {
  const doubts = new Set([...ofTwoPeople(candidates, sample), ...timesOfExport(candidates, columnsIn(sample))]);
  return candidates
    .map((each) => (doubts.has(each) ? { ...each, probability: Math.min(each.probability, DOUBTED) } : each))
    .sort((one, other) => other.probability - one.probability);
}

/** The names and profiles, if the likeliest name is that of one profile, and another profile is as likely: an author and a reader. */
function ofTwoPeople(candidates: readonly Likelihood[], sample: Sample): readonly Likelihood[] {
  const of = (field: string): readonly Likelihood[] =>
    candidates.filter((each) => each.field === field && each.probability < 1);
  const [names, profiles] = [of('engager_name'), of('engager_profile_url').filter(({ column }) => isOfPeople(column))];
  const [name] = names;
  if (name === undefined) return [];
  const agreements = profiles.map(({ column }) => agreement(name.column, column, sample));
  const isOfTwo = agreements.some((each) => each > 0.5) && agreements.some((each) => each < 0.1);
  return isOfTwo ? [...names, ...profiles] : [];
}

function isOfPeople({ profile }: Column): boolean {
  return share(profile, (text) => pageOf(text)?.kind === 'person') > 0.5;
}

/** The share of rows whose name is in the address of the profile: Ana Ruiz, /in/ana-ruiz-4b1. */
function agreement(name: Column, profile: Column, { columns, rows }: Sample): number {
  const [nameAt, profileAt] = [columns.indexOf(name.name), columns.indexOf(profile.name)];
  const pairs = rows.flatMap((row) => {
    const [person, address] = [row[nameAt], row[profileAt]].map((cell) =>
      withoutAccents(String(cell ?? '').toLowerCase()),
    );
    const [longest = ''] = (person ?? '').split(/[^a-z]+/u).toSorted((one, other) => other.length - one.length);
    return !address || longest.length < 3 ? [] : [address.includes(longest)];
  });
  return pairs.length < FEW ? 1 : pairs.filter(Boolean).length / pairs.length;
}

/** All at about one moment, although another column says how long ago it was. */
function timesOfExport(candidates: readonly Likelihood[], columns: readonly Column[]): readonly Likelihood[] {
  if (!columns.some(({ profile }) => share(profile, isRelative) > 0.5)) return [];
  return candidates.filter(({ field, column }) => {
    const times = column.profile.texts.map(Date.parse);
    return field === 'engagement_date' && times.length >= FEW && Math.max(...times) - Math.min(...times) < DAY_MS;
  });
}
