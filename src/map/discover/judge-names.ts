/** Judges columns of texts: names of companies and people, titles, job titles, places, prose. */

import type { Column } from './column.ts';
import * as values from './column-facts.ts';
import { isKindOfEvent, isKindOfSource, isNetwork, MAX_VALUES } from './enum-values.ts';
import { inSample, judgeValues, MIN_SHARE, unfit, type Verdict } from './verdict.ts';

/** A title with more words is a text. */
const TITLE_WORDS = 25;

export function judgeCompany({ profile }: Column): Verdict {
  const names = judgeValues(profile, 'names', values.isName, 0.8);
  return names.factor === 0 ||
    values.share(profile, values.isPerson) > 0.6 ||
    values.share(profile, (text) => isSentence(text)) > 0.3
    ? unfit('values are not company names')
    : names;
}

/** Two to four words with capitals. */
const FULL_NAME = /^\p{Lu}[\p{L}.'’-]*(?:\s\p{Lu}[\p{L}.'’-]*){1,3}$/u;

/** A handle, or two to four capitalised words that no company has in its name. */
export function isPersonName(text: string): boolean {
  return FULL_NAME.test(text) ? !values.isLikeCompany(text) : HANDLE.test(text);
}

const HANDLE = /^@[\p{L}\p{N}_.-]+$/u;

/** Raises a vague header of names of people: "User Name". */
const ONLY_PEOPLE = 1.7;

export function judgePerson({ profile }: Column, trust: number): Verdict {
  const names = judgeValues(profile, 'names', (text) => values.isName(text) || HANDLE.test(text));
  if (names.factor === 0 || values.share(profile, isSentence) > 0.2) return unfit('values are not names of people');
  const people = values.share(profile, values.isPerson);
  if (people === 0) return { factor: 0.96, why: names.why };
  const whole = values.share(profile, (text) => FULL_NAME.test(text)) > 0.7;
  return { factor: whole && trust < 0.6 ? ONLY_PEOPLE : 1, why: names.why.replace('names', 'names of people') };
}

/** @param names the column of company names */
export function judgeTitle({ profile }: Column, trust: number, names: Column | undefined): Verdict {
  const titles = judgeValues(profile, 'titles', values.isProse);
  if (titles.factor === 0) return unfit('values are not titles');
  if (isText(profile)) return { factor: 0.6, why: 'values are texts of several sentences' };
  if (names !== undefined && repeats(profile, names.profile))
    return { factor: 0.5, why: 'values are names of companies' };
  if (values.share(profile, isCompanyAlone) > 0.3) return { factor: 0.6, why: 'values are like names of companies' };
  if (values.share(profile, isCode) > 0.5) return { factor: 0.7, why: 'values are codes' };
  const { texts, distinct } = profile;
  // "Mr" and "CRM" are not titles of events.
  const short = trust < 0.95 && values.share(profile, (text) => text.length > 8 || /\S\s+\S/u.test(text)) < 0.25;
  return isAlike(texts, distinct) || short || distinct.every(isKindOfSource)
    ? { factor: 0.7, why: 'values do not distinguish one signal from another' }
    : titles;
}

/** A name with a legal form and nothing else: a headline is longer. */
function isCompanyAlone(text: string): boolean {
  return values.isCompanyForm(text) && /^\S+(?:\s\S+){1,4}$/u.test(text) && !/[!?:]|\s\p{Ll}{2}$/u.test(text);
}

/** new_hire, FUNDING_ROUND, $pageview. */
function isCode(text: string): boolean {
  return /^(?:\$[a-z\d_]+|[a-z\d]+(?:_[a-z\d]+)+)$/iu.test(text);
}

/** A title distinguishes signals. A text that most rows share does not. */
function isAlike(texts: readonly string[], distinct: readonly string[]): boolean {
  return (texts.length >= 2 && distinct.length === 1) || (texts.length >= 5 && distinct.length <= texts.length / 4);
}

function repeats({ distinct }: values.ColumnProfile, names: values.ColumnProfile): boolean {
  const known = new Set(names.distinct);
  return distinct.filter((text) => known.has(text)).length > distinct.length / 2;
}

/** The job of a person: short, and not a sentence. */
export function judgeRole({ profile }: Column): Verdict {
  const roles = judgeValues(profile, 'words', values.isProse, 0.8);
  if (roles.factor === 0 || isText(profile)) return unfit('values are not job titles');
  return values.isSparse(profile) ? { factor: 0.8, why: 'most cells are empty' } : roles;
}

/** Industries and places: words, neither numbers nor sentences. */
export function judgeWords({ profile }: Column): Verdict {
  // "D" and "F" are countries.
  const words = judgeValues(profile, 'words', (text) => values.isProse(text) || /^(?:\p{Lo}+|\p{Lu})$/u.test(text));
  return words.factor === 0 || isText(profile) ? unfit('values are not words') : words;
}

/** Raises a bare "Type" whose values are kinds of events. */
const ONLY_EVENTS = 1.25;

/** Kinds of events: few, and some of them known if the header does not say what they are kinds of. */
export function judgeFamily(column: Column, trust: number): Verdict {
  const { distinct } = column.profile;
  const words = judgeWords(column);
  const long = values.share(column.profile, (text) => /(?:\S+\s+){4}\S|\p{Lo}{12}/u.test(text)) > 0.5;
  if (words.factor === 0 || distinct.length > MAX_VALUES || long) return unfit('values are not kinds');
  if (trust >= 0.75) return words;
  const isEvents = distinct.filter(isKindOfEvent).length >= distinct.length / 3 && !distinct.every(isKindOfSource);
  // Where somebody saw it: "LinkedIn", "News".
  return isEvents && !distinct.some(isNetwork) ? { factor: ONLY_EVENTS, why: 'values are kinds of events' } : words;
}

/** Chinese and Japanese have no spaces between words. */
const LONG_CJK = /^(?=.*[\p{sc=Han}\p{sc=Katakana}\p{sc=Hiragana}]{2}).{20}/u;

/** Industries do not begin alike: "Sector A" and "Sector B" are kinds of something else. */
export function judgeIndustry(column: Column): Verdict {
  const { distinct } = column.profile;
  if (values.share(column.profile, (text) => LONG_CJK.test(text)) > 0.5) return unfit('values are texts');
  const first = distinct.map((text) => text.split(/\s+/u)[0]?.toLowerCase());
  return distinct.length > 1 && distinct.length < column.profile.texts.length && new Set(first).size === 1
    ? unfit('all values begin with the same word')
    : withoutCodes(column);
}

/** "69201" beside "8411 - Public administration". */
function withoutCodes(column: Column): Verdict {
  const words = judgeWords(column);
  return words.factor === 0 && values.share(column.profile, values.isProse) >= 0.5 && !isText(column.profile)
    ? { factor: 0.55, why: 'some values are codes' }
    : words;
}

/** A short answer among comments. */
const REACTION = /\p{Extended_Pictographic}|^\p{Lo}$|^\+1$/u;

export function judgeText({ profile }: Column): Verdict {
  if (profile.distinct.every((text) => /^(?:true|false|yes|no|ja|nein|oui|non)$/iu.test(text)))
    return unfit('values are yes or no');
  const count = profile.texts.filter((text) => values.isProse(text) || REACTION.test(text)).length;
  return count >= MIN_SHARE * profile.texts.length * 0.8
    ? { factor: 1, why: inSample('text', count, profile.texts.length) }
    : unfit('values are not text');
}

function isText(profile: values.ColumnProfile): boolean {
  return values.share(profile, (text) => text.split(/\s+/u).length > TITLE_WORDS || text.length > 200) > 0.5;
}

/** A text that ends like a sentence, or is too long for a name. */
function isSentence(text: string): boolean {
  return text.split(/\s+/u).length > 9 || /\p{Ll}{3}[.!?]\s+\p{Lu}/u.test(text);
}
