/** Forms of values that show what a column has, in any language. Each test takes a column and is false without values. */
import {
  type ColumnProfile,
  domainIn,
  isCompanyForm,
  isEmail,
  isHeadcount,
  isOwnDomain,
  isUrl,
  MOST,
  most,
  share,
} from './column-facts.ts';
import { engagementShare, isEngagement, isNetwork, MAX_VALUES } from './enum-values.ts';
import { networkOf, shareOfKinds, urlKind } from './url-kinds.ts';

/** Names of companies, some of them with a legal form. */
export const companyNameForm = most(isCompanyForm, 0.3);

const ROUND =
  /^(?:(?:late |early )?(?:pre[\s-]?)?(?:seed|amor[cç]age|semilla|semente|angel|anjo)(?: round| extension| \+)?|pre[\s-]?series [a-f]\d?|(?:series?|s[ée]rie|serie|runda|rodada|ronda|round|tour|シリーズ)[\s_-]?[a-j][+\d]?(?:[\s-](?:round|extension))?|pre[\s-]?[a-c]轮|[a-j]\+?轮|天使轮|种子轮|시리즈\s?[a-j]|시드|シード|venture(?: round|[\s-]series unknown)?|convertible note|debt financing|private equity(?: round)?|post[\s-]?ipo (?:equity|debt)|bridge(?: round)?|corporate round|equity crowdfunding)$/iu;
export const fundingRounds = most((text) => ROUND.test(text), 0.5);

/** Websites of several companies. */
export function companySites({ distinct, texts }: ColumnProfile): boolean {
  const sites = distinct.filter((text) => !text.includes('@') && urlKind(text) === 'site');
  const domains = new Set(sites.map(domainIn).filter(isOwnDomain));
  return texts.length > 1 && sites.length >= MOST * distinct.length && domains.size > 1;
}

const DIRECTORY_PAGE =
  /(?:crunchbase\.com\/organization|dealroom\.co\/companies|pitchbook\.com\/profiles\/company|(?:wellfound|angel)\.c(?:om|o)\/company|ycombinator\.com\/companies|producthunt\.com\/(?:posts|products)|northdata\.|owler\.com\/company|tracxn\.com\/d\/companies)/iu;
const isDirectoryPage = most((text) => DIRECTORY_PAGE.test(text));
export function companyPages(profile: ColumnProfile): boolean {
  return shareOfKinds(profile, 'company') >= MOST || isDirectoryPage(profile);
}

const JOB_PAGE =
  /linkedin\.com\/jobs|indeed\.[a-z.]+\/(?:viewjob|rc\/clk|job)|glassdoor\.[a-z.]+\/(?:job|partner)|(?:greenhouse\.io|lever\.co|workable\.com|ashbyhq\.com|personio\.(?:de|com)|myworkdayjobs\.com|smartrecruiters\.com)\/|stepstone\.|infojobs\.|pracuj\.pl|nofluffjobs\.|wantedly\.com\/+projects|wanted\.co\.kr\/wd|jobs\.zhaopin\.|welcometothejungle\.|\/(?:jobs?|careers?|vagas?|empleos?|stellen(?:angebote?)?|emplois?|offres?-emploi|ofertas?(?:-de-(?:trabajo|empleo))?|praca|vacatures?|vacancies)\//iu;
export const jobPages = most((text) => isUrl(text) && JOB_PAGE.test(text));

/** The share of posts among the URLs of posts. */
const MOST_POSTS = 0.75;

/** Pages of a fair about its exhibitors. */
const EXHIBITOR_PAGE =
  /\/(?:aussteller|ausstellerverzeichnis|exhibitors?|exposants?|expositor(?:es)?|espositor[ei]|exposanten|exposant|utstallare|udstillere|utstillere|wystawcy|vystavovatele|katilimcilar)\//iu;
export const exhibitorPages = most((text) => isUrl(text) && EXHIBITOR_PAGE.test(text));

/** Links of a news alert: https://www.google.com/url?rct=j&sa=t&url=https://… */
export const alertLinks = most((text) => /^https?:\/\/www\.google\.[a-z.]+\/url\?.*url=/iu.test(text));

export function posts(profile: ColumnProfile): boolean {
  return shareOfKinds(profile, 'post') > MOST_POSTS;
}

/** Posts on networks next to pages of other sites: all that was found about a brand, in news and on networks. */
export function mixedPages(profile: ColumnProfile): boolean {
  const onNetworks = shareOfKinds(profile, 'post');
  const elsewhere = share(profile, (text) => urlKind(text) === 'page' && networkOf(text) === undefined);
  return onNetworks >= 0.1 && onNetworks <= MOST_POSTS && elsewhere >= 0.2;
}

const isTold = (text: string): boolean => /^(?:liked|commented|reacted|reposted|shared|replied)\b.* /iu.test(text);

/** A code for an engagement: page_like, post_engagement. */
const isCoded = (text: string): boolean => /^[a-z]+_(?:engagement|like|comment|share|repost|reaction)s?$/iu.test(text);

/** Texts of which some tell of an engagement, and the others do not: "Liked our post", "Raised $22M". */
export function mixedEvents({ texts, distinct }: ColumnProfile): boolean {
  const told = distinct.filter(isTold);
  return (
    (told.length > 1 && told.length < MOST * distinct.length) ||
    (texts.some(isCoded) && distinct.filter((text) => !isCoded(text) && !isEngagement(text)).length > 0)
  );
}

/** Authors that are companies as often as people. */
export function mixedProfiles(profile: ColumnProfile): boolean {
  return Math.min(shareOfKinds(profile, 'company'), shareOfKinds(profile, 'person')) >= 0.3;
}

export function profiles(profile: ColumnProfile): boolean {
  return shareOfKinds(profile, 'person') >= MOST;
}

export const handles = most((text) => /^(?:@[\p{L}\p{N}_.-]{2,40}|did:(?:plc|web):\S+)$/u.test(text));

export const socialIds = most((text) => /urn:li:(?:activity|comment|ugcPost|share|fsd_)/u.test(text));

/** Texts in which people mention others or use tags. */
export const taggedTexts = most((text) => text.length > 15 && /(?:^|\s)[@#][\p{L}\w]{2,}/u.test(text), 0.25);

/** Kinds of engagement that, without others beside them, can be anything. */
const VAGUE =
  /comment|share|quote|repl|mention|interest|support|love|funny|curious|save|view|click|follow|tag|reaction/iu;

export function reactions(profile: ColumnProfile): boolean {
  const isCertain = (text: string): boolean => isEngagement(text) && !VAGUE.test(text);
  const parts = profile.distinct.map((text) => text.split(AND));
  return (
    (most((text) => text.split(AND).every(isEngagement))(profile) && parts.flat().some(isCertain)) ||
    most(isTold)(profile)
  );
}

/** Kinds of engagement beside posts and messages. */
export function someReactions(profile: ColumnProfile): boolean {
  return profile.distinct.length <= MAX_VALUES && engagementShare(profile) >= 0.5;
}

/** "Like + Kommentar", "Like und geteilt". */
const AND = /\s*[+/,;&|]\s*|\s(?:and|und|et|y|e|en|och|og|ja|ve|i)\s/u;

export const networks = most(isNetwork, 0.9);

/** Networks, and sites for reviews beside them. */
export const mostlyNetworks = most(isNetwork, 0.7);

const NUMBER = /^[-+]?\d[\d.,'’\s]*(?:[kmKM%]|万)?$/u;
export const headcounts = most(isHeadcount);

export const counts = most((text) => NUMBER.test(text));

/** A few short marks: x, -, yes, sick. */
export function marks({ texts, distinct }: ColumnProfile): boolean {
  return distinct.length < texts.length && texts.every((text) => text.length < 10);
}

/** Too small for ids. */
export const smallNumbers = most((text) => /^\d{1,6}$/u.test(text));

/** A day or a month. What its format is does not matter here, and is slow to find out. */
export const dates = most((text) =>
  /^(?:\d{4}[-/.年]\s?\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|20\d{6}$|\d{1,2}\.? \p{L}{3,}|\p{L}{3,9}\.? (?:\d{1,2},? )?\d{4})/u.test(
    text,
  ),
);

/** A job and its employer, as people write on networks: "CTO @ Acme", "Directrice RH chez Acme". */
export const headlinesOfPeople = most(
  (text) => /\p{L} (?:@ ?|(?:at|bei|bij|chez|hos|presso|på) )\p{Lu}/u.test(text),
  0.3,
);

/** How near people are on a network: 1st, 2nd, 3rd+. */
export const degrees = most((text) => /^(?:[123]\.|1st|2nd|3rd\+?|1er|[23]e|[123][ºª°])$/iu.test(text), 0.8);

/** Texts, not numbers, dates or codes. */
export const sentences = most(
  (text) =>
    /\p{L}/u.test(text) &&
    (/\p{L}+\s+\p{L}+/u.test(text) ||
      /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{4}/u.test(text)),
  0.4,
);

export const emails = most(isEmail);

const PHONE = /^[^\p{L}]*\d(?:[\s()./-]*\d){6,14}(?!\d)/u;
export const reachable = most((text) => isEmail(text) || PHONE.test(text), 0.5);

/** Values with digits: in an invoice or a log, all but a few texts are codes, amounts, dates or addresses. */
export const coded = most((text) => /\d/u.test(text));
