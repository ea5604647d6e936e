/**
 * Adjusts candidates to the whole table: "Title" is a job title if rows are people, and "Position" is the title of a signal
 * if rows are jobs. For social events, see social-table.ts.
 */
import type { RecordType } from '../../model/record.ts';
import { type Column, type ColumnCandidate, meaningsWithout, only } from './column.ts';
import { CURRENCY, isAmount, isCompanyForm, isFilled, isPerson, isProse, isSparse, share } from './column-facts.ts';
import { detectDateFormat } from './date-format.ts';
import { isSiteOfPages } from './judge-urls.ts';
import { isHandle, socialFactor } from './social-table.ts';
import type { TableTopic } from './table-topic.ts';

/** Moves a trusted header (0.84 to 0.97) below the threshold of use (0.8): a question. */
const DOUBT = 0.7;

/** Moves a vague header (0.5 to 0.7) above the threshold of use. */
const RAISE = 1.6;

/** Maximum of a raised confidence: context is never as certain as a header. */
const RAISED = 0.9;

/** Date columns from which a bare "Date" is unclear. */
const MANY_DATES = 3;

/** The share of different names from which rows have many authors: an account has few editors. */
const VARIED = 0.7;

/** The path of one element of a list, such as `reactions/0/type`: the others are in other columns. */
const ONE_OF_LIST = /[/.[]\d+[\]/.]/;

/** What is known about the companies of a table. */
export interface NameContext {
  /** Whether columns contain a company's name and another of its properties. */
  readonly aboutCompanies: boolean;
  /** Whether a column certainly has names of companies. */
  readonly named: boolean;
}

/** What is known about the table. */
interface Table extends NameContext {
  readonly topic: TableTopic;
  readonly columns: readonly Column[];
  /** Every meaning of every header. */
  readonly meanings: ReadonlySet<string>;
}

export function crossCheck(
  candidates: readonly ColumnCandidate[],
  type: RecordType,
  { columns, topic, aboutCompanies, named }: NameContext & Pick<Table, 'columns' | 'topic'>,
): readonly ColumnCandidate[] {
  const meanings = new Set(columns.flatMap((column) => [...column.meanings.known]));
  const table: Table = { topic, columns, aboutCompanies, named, meanings };
  const factorOf: Readonly<Record<RecordType, (field: string, column: Column) => number>> = {
    signals: (field, column) => inSignals(field, column, table),
    social: socialFactor(columns, candidates, topic, meanings),
  };
  return candidates.map((candidate) => {
    const column = columns.find(({ name }) => name === candidate.column);
    if (column === undefined) return candidate;
    const inTable = factorOf[type](candidate.field, column);
    const factor = ONE_OF_LIST.test(column.name) ? Math.min(DOUBT, inTable) : inTable;
    return factor === 1 || (factor > 1 && column.meanings.unknown.length > 0)
      ? candidate
      : { ...candidate, confidence: Math.min(RAISED, candidate.confidence * factor) };
  });
}

function inSignals(field: string, column: Column, table: Table): number {
  const { topic, columns, meanings } = table;
  const jobs = topic.kinds.includes('job_posting');
  switch (field) {
    case 'signal_title':
      if (jobs && only(column, 'role', 'job', 'name') && !topic.people) return meanings.has('title') ? 1 : RAISE;
      // What a tender is for.
      if (only(column, 'subject') && (meanings.has('authority') || meanings.has('award'))) return RAISE;
      if (column.meanings.known.has('new')) return DOUBT;
      // What a seller works on.
      if (only(column, 'title') && columns.some(isClosing)) return DOUBT;
      // What a company wants to know, in a list of intent.
      if (column.meanings.known.has('topic') && !meanings.has('hot')) return DOUBT;
      if (only(column, 'summary')) return hasHeadlines(column, columns) ? RAISE : 0;
      // The job of a person that the news is about, or of the reviewer.
      if (!jobs && topic.kinds.length > 0 && only(column, 'job_title')) return DOUBT;
      if (topic.kinds[0] === 'review_site' && only(column, 'role', 'job', 'job_title')) return DOUBT;
      return only(column, 'title', 'headline', 'role', 'job', 'job_title') &&
        !(column.meanings.known.has('job') && column.meanings.known.has('role')) &&
        (topic.people || (topic.contacts && !jobs && !topic.kinds.includes('news')))
        ? DOUBT
        : 1;
    case 'description':
      // "Overview" of a company.
      if (only(column, 'about', 'company', 'description') && isOnlyText(column, table)) return RAISE;
      // What a company does, in a register.
      if (only(column, 'trade', 'subject')) return isOfTrade(column, table) ? 1 : 0;
      // What a reviewer calls the review.
      if (only(column, 'summary') && topic.kinds[0] === 'review_site') return DOUBT;
      return hasHeadlines(column, columns) || (only(column, 'notes') && columns.some(isOfText)) ? DOUBT : 1;
    case 'industry':
      return isOfTrade(column, table) ? DOUBT : 1;
    case 'hotness_score':
      // Of the companies that visited a site.
      return only(column, 'score') && topic.kinds[0] === 'web_visit' ? RAISE : 1;
    case 'employee_count':
      // Few rows have it: those who were hired or laid off.
      return isSparse(column.profile) ? DOUBT : 1;
    case 'location':
      if (isOtherPlace(column, table)) return DOUBT;
      return only(column, 'address', 'company') && table.aboutCompanies && !topic.people && hasTowns(column)
        ? RAISE
        : 1;
    case 'company_domain':
      return only(column, 'domain', 'web', 'url') && (topic.kinds[0] === 'news' || isSiteOfPages(column, columns))
        ? DOUBT
        : 1;
    case 'company_name':
      return ofCompanyName(column, table);
    case 'funding_amount':
      if (columns.some((other) => isBetterAmount(other, column))) return DOUBT;
      return topic.kinds[0] === 'funding' && only(column, 'amount', 'value') ? RAISE : 1;
    case 'detected_at':
      if (isOtherDate(column, table)) return DOUBT;
      // When a job was posted, or a review written.
      return only(column, 'created', 'date', 'time') && ['job_posting', 'review_site'].includes(topic.kinds[0] ?? '')
        ? RAISE
        : 1;
    case 'signal_family':
      return topic.kinds[0] === 'funding' && column.meanings.known.has('deal') ? RAISE : 1;
    case 'signal_source':
      return only(column, 'source') && !isKnownList(table) ? DOUBT : 1;
    default:
      return 1;
  }
}

/** Of the name of a company, among the other columns. */
function ofCompanyName(column: Column, { topic, columns, meanings }: Table): number {
  // Who buys, if another column says who sells.
  if (column.meanings.known.has('authority') && columns.some(hasRecipients)) return DOUBT;
  if (column.meanings.known.has('recipient') && meanings.has('authority')) return DOUBT;
  // Who does a task, and not who applied for a patent.
  if (column.meanings.known.has('assignee') && !meanings.has('patent')) return DOUBT;
  // A person too, or what is to be built.
  if (column.meanings.precise.has('entity') && only(column, 'company')) return DOUBT;
  if (column.meanings.precise.has('pitch') && meanings.has('authority')) return DOUBT;
  // The site that a review or an article is on.
  if (only(column, 'web', 'name') && topic.kinds.includes('review_site')) return RAISE;
  if (only(column, 'account', 'network_account') && share(column.profile, isHandle) > 0.5) return DOUBT;
  if (!only(column, 'name')) return 1;
  if (topic.people) return DOUBT;
  // Who buys and who wins.
  if (columns.some((other) => other !== column && only(other, 'name') && isFilled(other.profile))) return 1;
  return (topic.companies || share(column.profile, isCompanyForm) > 0.5) && share(column.profile, isPerson) < 0.2
    ? RAISE
    : 1;
}

/** What a company does, if nothing else says more about a row. */
function isOnlyText(column: Column, { topic, columns, named }: Table): boolean {
  const { known } = column.meanings;
  const isText = (other: Column): boolean =>
    other !== column && ['description', 'summary'].some((each) => other.meanings.known.has(each));
  return (
    (known.has('about') || (known.has('company') && known.has('description'))) &&
    !topic.people &&
    (named || topic.companies) &&
    !columns.some(isText)
  );
}

/** What was written about a row: more than what a seller notes. */
function isOfText({ meanings: { known }, profile }: Column): boolean {
  return ['text', 'summary', 'description', 'message'].some((each) => known.has(each)) && share(profile, isProse) > 0.5;
}

/** A text about what a company does, which a register has. */
function isOfTrade(column: Column, { columns, meanings }: Table): boolean {
  const { known } = column.meanings;
  const isRegister = columns.some(({ meanings: { precise } }) => precise.has('register'));
  return (
    (known.has('trade') || (known.has('subject') && isRegister && !meanings.has('authority'))) &&
    share(column.profile, (text) => text.length > 70 || /\p{Lo}{20}/u.test(text)) >= 0.5
  );
}

/** Perhaps not the place of the company that a row is about. */
function isOtherPlace(column: Column, { topic, columns, aboutCompanies, named }: Table): boolean {
  const { known } = column.meanings;
  // In Spanish and English, the same word as a status.
  if (column.meanings.precise.has('state') && !known.has('company') && !known.has('hq')) return true;
  // A street, if the town is in another column; a country, if the whole address is.
  const [isAddress, hasAddress] = [known.has('address'), columns.some(({ meanings }) => meanings.known.has('address'))];
  if (isAddress && columns.some((other) => other !== column && isTown(other))) return true;
  if (!isAddress && hasAddress && only(column, 'country', 'region') && !columns.some(isTown)) return true;
  if (['company', 'hq', 'job', 'authority'].some((each) => known.has(each))) return false;
  // Not the headquarters, which are in other columns.
  if (only(column, 'location') && columns.some(({ meanings }) => meanings.known.has('hq'))) return true;
  // Where the work is to be done, or who does it.
  const isBuyer = ({ meanings: { known } }: Column): boolean => known.has('authority') || known.has('acquirer');
  if (columns.some(isBuyer) && (only(column, 'location') || columns.some(hasRecipients))) return true;
  // Where a person lives.
  if (topic.people && only(column, 'city', 'country', 'region', 'location')) return true;
  // That of a branch, of the reviewer, or of what an article is about.
  if (topic.kinds.includes('review_site') || (topic.kinds.includes('news') && isSparse(column.profile))) return true;
  if (topic.kinds[0] === 'news' && (!named || only(column, 'country'))) return true;
  return (
    !aboutCompanies &&
    only(column, 'city', 'country', 'region') &&
    !((named || topic.companies) && isOfCompany(columns))
  );
}

/** Perhaps not the day on which it happened. */
function isOtherDate(column: Column, table: Table): boolean {
  const { known } = column.meanings;
  const others = table.columns.filter((other) => other !== column);
  // Few rows have it: when something else happened to them.
  if (isSparse(column.profile)) return true;
  // The first day on which it was found, and the last one. Of visits, the last one is the signal; of technologies, the first.
  const isLast = known.has('last');
  const isPair = others.some(
    (other) => other.meanings.known.has('last') !== isLast && isOfSame(other, column) && hasDates(other),
  );
  if (isPair && !(isLast ? known.has('visit') && table.meanings.has('first') : table.meanings.has('tech'))) return true;
  // In a list of accounts, a visit is one of many dates.
  if (known.has('visit') && table.topic.kinds[0] !== 'web_visit') return true;
  // When a row was found or fetched, if another column says when it happened.
  const better = known.has('detected') ? ['announced'] : only(column, 'time') ? ['announced', 'date'] : [];
  if (others.some((other) => better.some((each) => other.meanings.known.has(each)))) return true;
  // The last round, in a list of other signals or of accounts.
  const isRound = known.has('last') && OF_ROUNDS.some((each) => known.has(each));
  const isOwner = ({ meanings: { known: own } }: Column): boolean => own.has('account') && own.has('people_of');
  if (isRound && (table.meanings.has('hot') || others.some(isOwner))) return true;
  if (only(column, 'publication', 'announced', 'date', 'time') && isOneOfFourDates(table.columns)) return true;
  return only(column, 'date', 'time') && (isOneOfManyDates(table.columns) || !isKnownList(table));
}

function hasDates({ profile }: Column): boolean {
  return detectDateFormat(profile).kind !== 'none';
}

/** Meanings of headers of lists of what happened to companies. */
const EVENTFUL = 'headline acquisition acquirer layoff insolvency award job_change patent signal'.split(' ');

function isKnownList({ topic, named, meanings }: Table): boolean {
  return named || topic.companies || topic.kinds.length > 0 || EVENTFUL.some((each) => meanings.has(each));
}

/** No column names events, which have places too, or one has a register's codes of companies. */
function isOfCompany(columns: readonly Column[]): boolean {
  return (
    !columns.some(({ meanings: { known } }) => known.has('event')) ||
    columns.some(({ meanings: { precise } }) => precise.has('register'))
  );
}

function isClosing({ meanings: { precise } }: Column): boolean {
  return precise.has('future') && precise.has('stage');
}

function hasRecipients({ meanings: { known }, profile }: Column): boolean {
  return known.has('recipient') && isFilled(profile);
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

const OF_ROUNDS = ['funding', 'funded', 'investment', 'raised', 'round'];
const AMOUNT = ['funding', 'investment', 'raised', 'round', 'amount', 'money', 'value'];

/** Says the currency of the same amount, or is that of one round beside the total. */
function isBetterAmount(other: Column, column: Column): boolean {
  const isAmounts = ['amount', 'money', 'raised', 'value'].some((each) => other.meanings.known.has(each));
  if (other === column || !isAmounts || !only(other, ...AMOUNT) || share(other.profile, isAmount) < 0.5) return false;
  const hasCurrency = ({ name }: Column): boolean => name.search(CURRENCY) >= 0;
  return column.meanings.known.has('total') || (isOfSame(other, column) && hasCurrency(other) && !hasCurrency(column));
}

/** Whether headers differ in "first" and "last" only. */
function isOfSame(one: Column, other: Column): boolean {
  return meaningsWithout(one, 'first', 'last') === meaningsWithout(other, 'first', 'last');
}

/** A published patent was also filed and granted: any of these days can be meant. */
function isOneOfFourDates(columns: readonly Column[]): boolean {
  return (
    columns.filter(
      (column) =>
        column.meanings.known.has('date') &&
        !['future', 'recorded', 'contract'].some((each) => column.meanings.known.has(each)) &&
        hasDates(column),
    ).length > MANY_DATES
  );
}

/** Whole addresses, and not streets. */
function hasTowns({ profile }: Column): boolean {
  return share(profile, (text) => /,|\p{Lo}{4}/u.test(text)) > 0.5;
}

function isTown({ meanings: { known } }: Column): boolean {
  return known.has('city') && !known.has('address');
}

/** Two columns of the same name, or several with dates. */
function isOneOfManyDates(columns: readonly Column[]): boolean {
  const dates = columns.filter(({ meanings }) => meanings.known.has('date') || meanings.known.has('time'));
  return (
    dates.filter((column) => only(column, 'date') && column.meanings.unknown.length === 0).length > 1 ||
    (dates.length >= MANY_DATES && dates.filter(hasDates).length >= MANY_DATES)
  );
}
