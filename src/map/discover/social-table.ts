/** Adjusts candidates to a table of social events: "Text" is a comment if rows are comments of several people. */
import { type Column, type ColumnCandidate, only } from './column.ts';
import { domainIn, isJobTitle, isSparse, share } from './column-facts.ts';
import { allowedValue, engagementShare } from './enum-values.ts';
import { hasMoments, judgeMoment } from './judge-dates.ts';
import { isSiteOfPages } from './judge-urls.ts';
import type { TableTopic } from './table-topic.ts';
import { shareOfKinds } from './url-kinds.ts';

/** Moves a trusted header (0.84 to 0.97) below the threshold of use (0.8), and keeps it above that of a question. */
const DOUBT = 0.7;

/** Moves a vague header (0.5 to 0.7) above the threshold of use. */
const RAISE = 1.8;

/** The share of different names from which rows have many authors: an account has few editors. */
const VARIED = 0.7;

/** Characters of a text that two people hardly write alike. */
const LONG = 40;

/** Confidence of a header that names the field itself: "Comment Date". */
const EXPLICIT = 0.9;

/** Confidence from which another column can be the name. */
const LIKELY = 0.6;

/** Headers of what people do. */
const ACTS = 'comment reply reaction like repost mention text message news post permalink'.split(' ');

/** Headers of people's profiles: a summary beside them is about the person. */
const OF_PROFILES = ['role', 'job_title', 'headline'];

/** Headers that can have the names of accounts. */
const OF_ACCOUNTS = ['handle', 'person', 'author', 'people_of', 'network_account', 'account', 'name'];

interface SocialTable {
  readonly columns: readonly Column[];
  readonly candidates: readonly ColumnCandidate[];
  readonly topic: TableTopic;
  /** Every meaning of every header. */
  readonly meanings: ReadonlySet<string>;
  /** Rows of several authors are engagements. Posts of one account are not. */
  readonly byPeople: boolean;
}

export function socialFactor(
  columns: readonly Column[],
  candidates: readonly ColumnCandidate[],
  topic: TableTopic,
  meanings: ReadonlySet<string>,
): (field: string, column: Column) => number {
  const byPeople =
    ACTS.some((each) => meanings.has(each)) &&
    columns.some((column) => hasAuthors(column) || isRepeatedPost(column) || hasComments(column));
  const table = { columns, candidates, topic, meanings, byPeople };
  return (field, column) => factorOf(field, column, table);
}

function factorOf(field: string, column: Column, table: SocialTable): number {
  const { columns, candidates, topic, meanings, byPeople } = table;
  switch (field) {
    case 'engagement_content':
      // "Commented?" is a note of few rows.
      if (isSharedText(column) || (isSparse(column.profile) && column.name.endsWith('?'))) return DOUBT;
      return isTextOfPerson(column, table) ? RAISE : 1;
    case 'post_content':
      if (only(column, 'post', 'text') && isSharedText(column)) return RAISE;
      if (!byPeople) return only(column, 'text') ? RAISE : 1;
      if (isOwnPost(column, meanings)) return DOUBT;
      if (column.meanings.known.has('title') && only(column, 'post', 'video', 'title'))
        return isRepeated(column) && isText(column) ? RAISE : 1;
      return only(column, 'post') && !isText(column) ? DOUBT : 1;
    case 'post_url':
      if (isOfMentions(column, table)) return RAISE;
      // Most rows have their own, beside other links: perhaps that of the comment.
      return only(column, 'permalink', 'url', 'activity') &&
        !isRepeated(column) &&
        columns.some(
          (other) =>
            shareOfKinds(other.profile, 'post', 'page') > 0.5 &&
            !isSparse(other.profile) &&
            !hasSamePages(other, column),
        ) &&
        (columns.some(hasComments) || columns.some(hasMessages))
        ? DOUBT
        : 1;
    case 'company_domain':
      return only(column, 'domain', 'web', 'url') &&
        (!topic.people || isSiteOfPages(column, columns)) &&
        !meanings.has('company')
        ? DOUBT
        : 1;
    case 'engager_company':
      // The own accounts, which people reacted to.
      if (isConstant(column) || (only(column, 'account') && isRepeated(column))) return DOUBT;
      return only(column, 'account') && share(column.profile, isHandle) > 0.5 ? DOUBT : 1;
    case 'engager_title':
      // A headline, in a list of mentions.
      return only(column, 'title', 'headline') && (!topic.people || !column.profile.texts.some(isJobTitle)) ? DOUBT : 1;
    case 'engagement_date':
      if (!isBareDate(column)) return 1;
      if (!byPeople || (only(column, 'created') && (isOfAccounts(column) || columns.some(isPublished)))) return DOUBT;
      // When a post was published, if another column says when people did something, perhaps in words.
      if (only(column, 'announced', 'publication') && isRepeated(column) && columns.some(isTimeOfAct)) return DOUBT;
      return !hasMoments(column) ||
        isOfExport(column) ||
        columns.some((other) => other !== column && isDateOfEvent(other))
        ? 1
        : RAISE;
    case 'engager_name': {
      if ((isOfAuthor(column) && !byPeople) || isSparse(column.profile) || isConstant(column)) return DOUBT;
      // "Who" of some rows: who answered.
      if (column.meanings.precise.has('who') && column.profile.texts.length < column.profile.rows) return DOUBT;
      if (!only(column, ...OF_ACCOUNTS) || column.meanings.unknown.length > 0) return 1;
      const isAccount = hasHandles(column);
      const isRivalled = candidates.some((other) => {
        const rival = columns.find(({ name }) => name === other.column && name !== column.name);
        const isBetter = other.confidence >= (isAccount ? LIKELY : EXPLICIT);
        return (
          other.field === field &&
          rival !== undefined &&
          !isSparse(rival.profile) &&
          (isBetter || (!hasHandles(rival) && rival.meanings.unknown.length === 0))
        );
      });
      if (!isRivalled) return RAISE;
      return isAccount ? DOUBT : 1;
    }
    case 'engager_profile_url':
      return isOfAuthor(column) && !byPeople ? DOUBT : 1;
    default:
      return 1;
  }
}

function isTextOfPerson(column: Column, { columns, meanings, byPeople }: SocialTable): boolean {
  if (!byPeople || hasTextOf(columns, 'comment')) return false;
  if (column.meanings.known.has('reply'))
    return (
      only(column, 'reply', 'text') &&
      !isSparse(column.profile) &&
      // The answers of a poll.
      !isRepeated(column) &&
      !hasTextOf(columns, 'message') &&
      !hasTextOf(columns, 'text')
    );
  if (only(column, 'description', 'summary'))
    return (
      !OF_PROFILES.some((each) => meanings.has(each)) &&
      !hasTextOf(columns, 'text') &&
      (only(column, 'summary') || !meanings.has('person_detail'))
    );
  return only(column, 'text', 'news') || (isOwnPost(column, meanings) && column.meanings.known.has('text'));
}

function isOfAuthor(column: Column): boolean {
  return only(column, 'author', 'url') && column.meanings.known.has('author');
}

/** A date of anything. */
function isBareDate(column: Column): boolean {
  return only(column, 'date', 'time', 'created', 'announced', 'publication') && column.meanings.unknown.length === 0;
}

/** A column with the date of what people did, or of anything. */
function isDateOfEvent(column: Column): boolean {
  const { known } = column.meanings;
  const ofEvent = ['comment', 'reaction', 'like', 'repost', 'mention', 'post', 'acted', 'activity', 'action'];
  return isBareDate(column)
    ? hasMoments(column)
    : (['date', 'time', 'announced'].some((each) => known.has(each)) ||
        (known.has('acted') && judgeMoment(column).factor > 0)) &&
        ofEvent.some((each) => known.has(each));
}

/** Over several years: when people opened their accounts. */
function isOfAccounts({ profile: { distinct } }: Column): boolean {
  const years = distinct.map((text) => new Date(text).getFullYear()).filter(Number.isFinite);
  return Math.max(...years) - Math.min(...years) > 2;
}

/** The date of what people published, and not when a tool found it. */
function isPublished(column: Column): boolean {
  return isBareDate(column) && only(column, 'announced', 'publication', 'date', 'time') && hasMoments(column);
}

function isTimeOfAct({ meanings: { known } }: Column): boolean {
  return (
    ['date', 'time', 'announced'].some((each) => known.has(each)) && (known.has('comment') || known.has('reaction'))
  );
}

/** Within ten minutes: when a tool fetched the rows, and not when people did something. */
function isOfExport({ profile: { texts, distinct } }: Column): boolean {
  const moments = distinct.map((text) => Date.parse(text)).filter(Number.isFinite);
  const isLong = moments.length < distinct.length || Math.max(...moments) - Math.min(...moments) > 600_000;
  return texts.length > 2 && distinct.every((text) => /\d:\d/u.test(text)) && !isLong;
}

/** The same pages under another host: x.com/ana/status/1 and twitter.com/ana/status/1. */
function hasSamePages(one: Column, other: Column): boolean {
  const pathOf = (cell: string | undefined): string => (cell ?? '').replace(/^https?:\/\/[^/]*/iu, '');
  return one.profile.cells.every((cell, row) => pathOf(cell) === pathOf(other.profile.cells[row]));
}

/** Every row is about another page, on several sites: what people wrote there. */
function isOfMentions(column: Column, { columns, byPeople }: SocialTable): boolean {
  const { texts, distinct } = column.profile;
  const sites = new Set(distinct.map(domainIn));
  return (
    byPeople &&
    only(column, 'url', 'source', 'page') &&
    !isSparse(column.profile) &&
    distinct.length === texts.length &&
    sites.size > 1 &&
    shareOfKinds(column.profile, 'post', 'page') > 0.9 &&
    !columns.some((other) => other !== column && shareOfKinds(other.profile, 'post', 'page') > 0.5)
  );
}

/** Accounts instead of names: @lena, marlow_bakes. */
function hasHandles({ profile }: Column): boolean {
  return share(profile, (text) => /^@?[\w.-]+$/u.test(text)) > 0.9;
}

/** One account in all rows: perhaps the own one. */
function isConstant({ profile: { texts, distinct } }: Column): boolean {
  return texts.length > 2 && distinct.length === 1;
}

/** Values that many rows share. */
function isRepeated({ profile: { texts, distinct } }: Column): boolean {
  return texts.length > 2 && distinct.length <= texts.length / 2;
}

/** Long texts of which most are in several rows: people do not write the same comment, so it is the post. */
function isSharedText({ profile: { texts } }: Column): boolean {
  const times = new Map<string, number>();
  for (const text of texts) times.set(text, (times.get(text) ?? 0) + 1);
  const shared = texts.filter((text) => text.length > LONG && (times.get(text) ?? 0) > 1);
  return shared.length > 1 && shared.length >= texts.length / 2;
}

/** More than a few words. */
function isText({ profile }: Column): boolean {
  return share(profile, (text) => /(?:\S+\s+){3}\S|\p{Lo}{8}/u.test(text)) > 0.5;
}

/** Kinds of engagement with comments among them, which have pages of their own. */
function hasComments({ profile }: Column): boolean {
  return (
    engagementShare(profile) >= 0.5 &&
    profile.distinct.some((text) => allowedValue('engagement_type', text) === 'comment')
  );
}

/** What people wrote, each with its own page. */
function hasMessages(column: Column): boolean {
  return only(column, 'message', 'mention', 'text') && isWords(column);
}

/** marlow_bakes, dee.dee88: an account on a network. */
export function isHandle(text: string): boolean {
  return /^[a-z0-9._-]+$/u.test(text) && domainIn(text) === undefined;
}

function hasAuthors({ meanings: { known }, profile }: Column): boolean {
  return (
    ['author', 'person', 'full_name', 'name', 'handle', 'nickname'].some((each) => known.has(each)) &&
    !known.has('count') &&
    share(profile, (text) => /\p{L}/u.test(text)) > 0.5 &&
    profile.distinct.length > VARIED * profile.texts.length &&
    profile.distinct.length > 1
  );
}

/** A post that several rows are about: rows are reactions to it. */
function isRepeatedPost(column: Column): boolean {
  return isRepeated(column) && shareOfKinds(column.profile, 'post') > 0.9;
}

/** What the people of the rows posted themselves, and not the post that they reacted to. */
function isOwnPost(column: Column, meanings: ReadonlySet<string>): boolean {
  const { texts, distinct } = column.profile;
  return (
    only(column, 'post', 'text') && isWords(column) && distinct.length > 0.9 * texts.length && !meanings.has('reaction')
  );
}

function hasTextOf(columns: readonly Column[], meaning: string): boolean {
  return columns.some(
    (column) =>
      only(column, meaning, 'text') &&
      column.meanings.known.has(meaning) &&
      column.meanings.unknown.length === 0 &&
      isWords(column),
  );
}

function isWords({ profile }: Column): boolean {
  return share(profile, (text) => /\p{L}{2}/u.test(text)) > 0.5;
}
