/**
 * Adjusts candidates to the whole table: "Title" is a job title if rows are people, and "Position" is the title of a signal
 * if rows are jobs. For social events, see social-table.ts.
 */
import type { RecordType } from '../../model/record.ts';
import { type Candidate, type Column, only } from './column.ts';
import { isPerson, share } from './column-facts.ts';
import { detectDateFormat } from './date-format.ts';
import { isSiteOfPages } from './judge-urls.ts';
import { socialFactor } from './social-table.ts';
import type { TableTopic } from './table-topic.ts';

/**
 * Factors for a candidate's confidence. They move a trusted header (0.84 to 0.97) below the threshold of use (0.8) and keep
 * it above that of a question, or raise a vague one above the threshold of use. They are not fitted to the fixtures.
 */
const FACTOR = {
  /** "Title" if rows are people: probably a job title. */
  titleOfPerson: 0.6,
  /** "Position" or "Role" in a list of jobs: certain. */
  titleOfJob: 1.25,
  /** "Summary" (0.6) with the values of headlines, if nothing else is a title. */
  titleOfNews: 1.45,
  /** "City" in a list without other company columns: that of a venue or a publisher. */
  placeOfAnything: 0.6,
  /** "Name" if rows are people. */
  nameOfPerson: 0.5,
  /** "Name" (0.55) if the other columns can only be a company's: certain. */
  nameOfCompany: 1.55,
  /** "Website" in a list of articles: perhaps the publisher's. */
  siteOfPublisher: 0.75,
  /** "Date" in a list of people, or next to other dates: its meaning is unclear. */
  dateOfAnything: 0.7,
  /** "Source" in a list of unclear rows: perhaps that of the list. */
  sourceOfAnything: 0.7,
  /** "Amount" (0.6) in a list of rounds. */
  amountOfRound: 1.45,
} as const;

/** Maximum of a raised confidence: context is never as certain as a header. */
const RAISED = 0.95;

/** Date columns from which a bare "Date" is unclear. */
const MANY_DATES = 3;

/** The share of different names from which rows have many authors: an account has few editors. */
const VARIED = 0.7;

/** What is known about the table. */
interface Table {
  readonly topic: TableTopic;
  readonly columns: readonly Column[];
  /** Whether columns contain a company's name and another of its properties. */
  readonly aboutCompanies: boolean;
  /** Whether a column certainly has names of companies. */
  readonly named: boolean;
}

export function crossCheck(
  candidates: readonly Candidate[],
  type: RecordType,
  columns: readonly Column[],
  topic: TableTopic,
  { aboutCompanies, named }: Pick<Table, 'aboutCompanies' | 'named'>,
): readonly Candidate[] {
  const table: Table = { topic, columns, aboutCompanies, named };
  const ofSocial = socialFactor(columns, candidates, topic);
  return candidates.map((candidate) => {
    const column = columns.find(({ name }) => name === candidate.column);
    if (column === undefined) return candidate;
    const factor = type === 'signals' ? inSignals(candidate.field, column, table) : ofSocial(candidate.field, column);
    return factor === 1 ? candidate : { ...candidate, confidence: Math.min(RAISED, candidate.confidence * factor) };
  });
}

function inSignals(field: string, column: Column, { topic, columns, aboutCompanies, named }: Table): number {
  const jobs = topic.kinds.includes('job_posting');
  const isKnownList = named || topic.companies || topic.kinds.length > 0;
  switch (field) {
    case 'signal_title':
      if (jobs && only(column, 'role', 'job', 'name') && !topic.people) return FACTOR.titleOfJob;
      if (only(column, 'summary')) return hasHeadlines(column, columns) ? FACTOR.titleOfNews : 0;
      // The job of a person that the news is about, or of the reviewer.
      if (!jobs && topic.kinds.length > 0 && only(column, 'job_title')) return FACTOR.titleOfPerson;
      if (topic.kinds[0] === 'review_site' && only(column, 'role', 'job', 'job_title')) return FACTOR.titleOfPerson;
      return only(column, 'title', 'headline', 'role', 'job', 'job_title') &&
        !(column.meanings.known.has('job') && column.meanings.known.has('role')) &&
        (topic.people || (topic.contacts && !jobs && !topic.kinds.includes('news')))
        ? FACTOR.titleOfPerson
        : 1;
    case 'description':
      return hasHeadlines(column, columns) ? FACTOR.titleOfPerson : 1;
    case 'employee_count':
      // Few rows have it: those who were hired or laid off.
      return column.profile.texts.length < column.profile.rows / 2 ? FACTOR.placeOfAnything : 1;
    case 'location':
      // A street, if the town is in another column.
      if (column.meanings.known.has('address') && columns.some((other) => other !== column && isTown(other)))
        return FACTOR.placeOfAnything;
      return only(column, 'city', 'country', 'region') &&
        !aboutCompanies &&
        !(named && (jobs || topic.kinds.includes('funding')))
        ? FACTOR.placeOfAnything
        : 1;
    case 'company_domain':
      return only(column, 'domain', 'web', 'url') && (topic.kinds[0] === 'news' || isSiteOfPages(column, columns))
        ? FACTOR.siteOfPublisher
        : 1;
    case 'company_name':
      if (!only(column, 'name')) return 1;
      if (topic.people) return FACTOR.nameOfPerson;
      return topic.companies && share(column.profile, isPerson) < 0.2 ? FACTOR.nameOfCompany : 1;
    case 'funding_amount':
      return topic.kinds[0] === 'funding' && only(column, 'amount', 'value') ? FACTOR.amountOfRound : 1;
    case 'detected_at':
      // The first and the last visit.
      if (
        column.meanings.known.has('last') &&
        columns.some((other) => other.meanings.known.has('first') && isOfSame(other, column))
      )
        return FACTOR.dateOfAnything;
      if (only(column, 'publication', 'announced', 'date', 'time') && isOneOfFourDates(columns))
        return FACTOR.dateOfAnything;
      return only(column, 'date') && (topic.people || !isKnownList || isOneOfManyDates(columns))
        ? FACTOR.dateOfAnything
        : 1;
    case 'signal_source':
      return only(column, 'source') && !isKnownList ? FACTOR.sourceOfAnything : 1;
    default:
      return 1;
  }
}

/** A summary of short texts that differ and do not end like a sentence, if no other column has titles. */
function hasHeadlines(column: Column, columns: readonly Column[]): boolean {
  const isHeadline = (text: string): boolean => text.length <= 120 && /^\S+\s+\S+\s+\S.*[^.…]$/u.test(text);
  return (
    only(column, 'summary') &&
    column.profile.distinct.length > VARIED * column.profile.texts.length &&
    share(column.profile, isHeadline) > 0.9 &&
    !columns.some(({ meanings }) => ['title', 'headline', 'signal', 'event'].some((each) => meanings.known.has(each)))
  );
}

/** Whether headers differ in "first" and "last" only. */
function isOfSame(one: Column, other: Column): boolean {
  const rest = ({ meanings: { known } }: Column): string =>
    [...known]
      .filter((each) => each !== 'first' && each !== 'last')
      .sort()
      .join(' ');
  return rest(one) === rest(other);
}

/** A published patent was also filed and granted: any of these days can be meant. */
function isOneOfFourDates(columns: readonly Column[]): boolean {
  return (
    columns.filter(({ meanings, profile }) => meanings.known.has('date') && detectDateFormat(profile).kind !== 'none')
      .length > MANY_DATES
  );
}

function isTown({ meanings: { known } }: Column): boolean {
  return ['city', 'country', 'region'].some((each) => known.has(each)) && !known.has('address');
}

/** Two columns of the same name, or several with dates. */
function isOneOfManyDates(columns: readonly Column[]): boolean {
  const dates = columns.filter(({ meanings }) => meanings.known.has('date') || meanings.known.has('time'));
  return (
    dates.filter((column) => only(column, 'date')).length > 1 ||
    (dates.length >= MANY_DATES &&
      dates.filter(({ profile }) => detectDateFormat(profile).kind !== 'none').length >= MANY_DATES)
  );
}
