/** Forms of values that show what a column has, in any language. Each test takes a column and is false without values. */
import { squash } from '../../contract/index.ts';
import {
  type ColumnProfile,
  domainIn,
  isCompanyForm,
  isHeadcount,
  isOwnDomain,
  isUrl,
} from '../discover/column-facts.ts';
import { type UrlKind, urlKind } from '../discover/url-kinds.ts';

/** Distinct values that are examined. */
const EXAMINED = 60;

/** The share of values that must have a form: a cell can be wrong now and then. */
const MOST = 0.7;

function most(test: (text: string) => boolean, least = MOST): (profile: ColumnProfile) => boolean {
  return ({ distinct }) => {
    const some = distinct.slice(0, EXAMINED);
    return some.length > 0 && some.filter(test).length >= least * some.length;
  };
}

function shareOfKinds({ distinct }: ColumnProfile, ...kinds: readonly UrlKind[]): number {
  const some = distinct.slice(0, EXAMINED);
  // Most columns have no URLs, and parsing is slow.
  if (!some.some((text) => text.includes('.') && text.includes('/'))) return 0;
  const found = some.map(urlKind).filter((kind) => kind !== undefined && kinds.includes(kind));
  return found.length / some.length;
}

/** The values are one of these words, in any case. */
function amongst(list: string, least = 0.9): (profile: ColumnProfile) => boolean {
  const known = new Set(list.split(',').map(squash));
  return most((text) => known.has(squash(text)), least);
}

/** Names of companies, some of them with a legal form. */
export const companyNames = most(isCompanyForm, 0.3);

const ROUND =
  /^(?:(?:late |early )?(?:pre[\s-]?)?(?:seed|amor[cç]age|semilla|semente|angel|anjo)(?: round| extension| \+)?|pre[\s-]?series [a-f]\d?|(?:series?|s[ée]rie|serie|runda|rodada|ronda|round|tour|シリーズ)[\s_-]?[a-j][+\d]?(?:[\s-](?:round|extension))?|pre[\s-]?[a-c]轮|[a-j]\+?轮|天使轮|种子轮|시리즈\s?[a-j]|시드|シード|venture(?: round|[\s-]series unknown)?|convertible note|debt financing|private equity(?: round)?|post[\s-]?ipo (?:equity|debt)|bridge(?: round)?|corporate round|equity crowdfunding)$/iu;
export const fundingRounds = most((text) => ROUND.test(text), 0.5);

/** Websites of several companies. */
export function companySites({ distinct, texts }: ColumnProfile): boolean {
  const some = distinct.slice(0, EXAMINED).filter((text) => !text.includes('@'));
  const domains = some.map(domainIn).filter(isOwnDomain);
  const sites = some.filter((text) => urlKind(text) === 'site').length;
  return texts.length > 1 && sites >= MOST * distinct.slice(0, EXAMINED).length && new Set(domains).size > 1;
}

const DIRECTORY_PAGE =
  /(?:crunchbase\.com\/organization|dealroom\.co\/companies|pitchbook\.com\/profiles\/company|(?:wellfound|angel)\.c(?:om|o)\/company|ycombinator\.com\/companies|producthunt\.com\/(?:posts|products)|northdata\.|owler\.com\/company|tracxn\.com\/d\/companies)/iu;
const isDirectoryPage = most((text) => DIRECTORY_PAGE.test(text));
export function companyPages(profile: ColumnProfile): boolean {
  return shareOfKinds(profile, 'company') >= MOST || isDirectoryPage(profile);
}

const JOB_PAGE =
  /linkedin\.com\/jobs|indeed\.[a-z.]+\/(?:viewjob|rc\/clk|job)|glassdoor\.[a-z.]+\/(?:job|partner)|(?:greenhouse\.io|lever\.co|workable\.com|ashbyhq\.com|personio\.(?:de|com)|myworkdayjobs\.com|smartrecruiters\.com)\/|stepstone\.|infojobs\.|pracuj\.pl|nofluffjobs\.|wantedly\.com\/+projects|wanted\.co\.kr\/wd|jobs\.zhaopin\.|welcometothejungle\.|\/(?:jobs?|careers?|vagas?|empleos?|stellen(?:angebote?)?|emplois?|offres?-emploi|oferta|praca|vacatures?|vacancies)\//iu;
export const jobPages = most((text) => isUrl(text) && JOB_PAGE.test(text));

export function posts(profile: ColumnProfile): boolean {
  return shareOfKinds(profile, 'post') >= MOST;
}

/** Posts on networks next to pages of other sites: all that was found about a brand, in news and on networks. */
export function mixedPages(profile: ColumnProfile): boolean {
  const onNetworks = shareOfKinds(profile, 'post');
  return onNetworks >= 0.1 && onNetworks < MOST && shareOfKinds(profile, 'page') >= 0.2;
}

const isTold = (text: string): boolean => /^(?:liked|commented|reacted|reposted|shared|replied)\b.* /iu.test(text);

/** Texts of which some tell of an engagement, and the others do not: "Liked our post", "Raised $22M". */
export function mixedEvents({ distinct }: ColumnProfile): boolean {
  const told = distinct.filter(isTold);
  return told.length > 1 && told.length < MOST * distinct.length;
}

/** Authors that are companies as often as people. */
export function mixedProfiles(profile: ColumnProfile): boolean {
  return Math.min(shareOfKinds(profile, 'company'), shareOfKinds(profile, 'person')) >= 0.3;
}

export function profiles(profile: ColumnProfile): boolean {
  return shareOfKinds(profile, 'person') >= MOST;
}

export const handles = most((text) => /^@[\w.-]{2,40}$/u.test(text));

export const socialIds = most((text) => /urn:li:(?:activity|comment|ugcPost|share|fsd_)/u.test(text));

/** Texts in which people mention others or use tags. */
export const taggedTexts = most((text) => text.length > 15 && /(?:^|\s)[@#][\p{L}\w]{2,}/u.test(text), 0.25);

const CERTAIN_REACTIONS =
  'like,likes,liked,repost,reposted,retweet,retweeted,praise,empathy,appreciation,entertainment,celebrate,insightful,haha,upvote,downvote,me gusta,j’aime,gefällt mir,mi piace,curtir,lubię to,いいね';
const isCertain = amongst(CERTAIN_REACTIONS, 0.01);
const isReaction = amongst(
  `${CERTAIN_REACTIONS},comment,commented,share,shared,quote,quoted,reply,replied,mention,mentioned,interest,support,love,funny,curious,wow,sad,angry,care,favorite`,
);

/** "Support" and "Share" alone can be anything. */
export function reactions(profile: ColumnProfile): boolean {
  return (isReaction(profile) && isCertain(profile)) || most(isTold)(profile);
}

export const networks = amongst(
  'linkedin,linked in,twitter,x,x (twitter),twitter/x,youtube,facebook,instagram,reddit,tiktok,threads,bluesky,mastodon,xing',
);

const NUMBER = /^[-+]?\d[\d.,'’\s]*(?:[kmKM%]|万)?$/u;
export const headcounts = most(isHeadcount);

export const counts = most((text) => NUMBER.test(text));

/** A day or a month. What its format is does not matter here, and is slow to find out. */
export const dates = most((text) =>
  /^(?:\d{4}[-/.年]\s?\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|20\d{6}$|\d{1,2}\.? \p{L}{3,}|\p{L}{3,9}\.? (?:\d{1,2},? )?\d{4})/u.test(
    text,
  ),
);

/** Texts, not numbers, dates or codes. */
export const sentences = most(
  (text) =>
    /\p{L}/u.test(text) &&
    (/\p{L}+\s+\p{L}+/u.test(text) ||
      /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{4}/u.test(text)),
  0.4,
);

/** Values with digits: of an invoice or a log, all but its texts are codes, amounts, dates or addresses. */
export const coded = most((text) => /\d/u.test(text));

const PHONE = /^[^\p{L}]*\+?\(?\d(?:[\s()./-]*\d){6,14}(?!\d)/u;
export const reachable = most((text) => PHONE.test(text) || /^[^\s@]+@[^\s@]+\.[a-z]{2,}$/iu.test(text), 0.5);

export const emails = most((text) => /^[^\s@]+@[^\s@]+\.[a-z]{2,}$/iu.test(text));

const GENERIC_MAILBOX =
  /^(?:info|contact|contacto|contatto|contato|kontakt|hello|hi|hallo|hola|ciao|sales|vertrieb|office|team|support|mail|post|admin|biuro|jobs|careers|press|presse)(?:[.-]\w+)?@/iu;

/** Addresses of people, not of companies. */
export const personalEmails = most(
  (text) => /^[^\s@]+@[^\s@]+\.[a-z]{2,}$/iu.test(text) && !GENERIC_MAILBOX.test(text),
);
