/** Judges columns of web addresses: company websites, pages, posts, profiles. */

import type { Column } from './column.ts';
import * as values from './column-facts.ts';
import { networkOf, shareOfKinds, urlKind } from './url-kinds.ts';
import { EMPTY, inSample, judgeValues, MIN_SHARE, unfit, type Verdict } from './verdict.ts';

/** Raises a vague header with values that can be of no other field: "URL" becomes certain. */
const ONLY_THIS = 1.8;

/** The same for posts, of which a comment has two: its own page and that of the post. */
const ONLY_POSTS = 1.4;

/** Raises a vague header of websites that are named like the companies in their rows. */
const NAMED_ALIKE = 1.25;

/** The share of rows whose domain has the company's name from which both are about the same company. */
const ALIKE = 0.6;

/** The share of pages among the URLs of pages: a start page now and then is one too. */
const MOST_PAGES = 0.8;

/** The share of URLs from which the user decides about the other values: "Internal memo". */
const SOME_PAGES = 0.5;

/** Sales Navigator's pages need an account: less useful than the public profile. */
const FOR_MEMBERS = 1.4;

/** @param names the column of company names */
export function judgeDomain(column: Column, trust: number, names: Column | undefined): Verdict {
  const { name, profile } = column;
  const mapping = { column: name, as: 'domain' } as const;
  if (profile.texts.length === 0) return { ...EMPTY, mapping };
  const isOwn = (text: string): boolean => values.isOwnDomain(values.domainIn(text)) && networkOf(text) === undefined;
  const verdict = judgeValues(profile, 'company websites', isOwn);
  if (verdict.factor === 0) {
    // Some addresses are at work, some at a free provider, whose domain is left out.
    return isAddresses(profile) && values.share(profile, isOwn) > 0.3
      ? { factor: 0.7, why: verdict.why, mapping }
      : unfit('values are not company websites');
  }
  const domains = new Set(profile.texts.map((text) => values.domainIn(text)));
  if (domains.size === 1 && (profile.distinct.length > 1 || values.share(profile, values.isDeepUrl) === 1))
    return unfit('all URLs are on one site');
  if (names !== undefined && trust < 0.9 && shareNamedAlike(names, column) >= ALIKE && !isAddresses(profile)) {
    return { factor: NAMED_ALIKE, why: `${verdict.why}, named like the companies`, mapping };
  }
  // A column "URL" can contain pages of any site; a column "Website" contains the company's.
  if (trust < 0.9 && values.share(profile, values.isDeepUrl) > 0.5) {
    return { factor: 0.7, why: 'values are page URLs, perhaps not on the company website', mapping };
  }
  return { ...verdict, mapping };
}

function isAddresses(profile: values.ColumnProfile): boolean {
  return values.share(profile, (text) => text.includes('@')) > 0.5;
}

/** The share of rows in which the domain contains the company's name, or its first word. */
function shareNamedAlike(names: Column, domains: Column): number {
  const rows = names.profile.cells
    .map((name, row) => [plain(name), values.domainIn(domains.profile.cells[row] ?? '')] as const)
    .filter(([name, domain]) => name !== '' && domain !== undefined);
  const alike = rows.filter(([name, domain = '']) => {
    const label = plain(domain.split('.')[0] ?? '').replaceAll(' ', '');
    const [first = ''] = name.split(' ');
    return (
      (first.length > 2 && label.includes(first)) || (label.length > 2 && name.replaceAll(' ', '').includes(label))
    );
  });
  return rows.length === 0 ? 0 : alike.length / rows.length;
}

function plain(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** A directory's page about a company: crunchbase.com/organization/acme. */
const ABOUT_A_COMPANY =
  /^https?:\/\/[^/]+\/(?:[a-z]{1,2}\/)?(?:organizations?|company|companies|startups?|profiles?|biz|org)\//iu;

/** The page of a news item, a job or a review; a network's company page or profile is not. */
export function judgePage({ name, profile }: Column, trust: number): Verdict {
  const pages = judgeValues(profile, 'page URLs', values.isUrl);
  if (pages.factor === 0) {
    const isBare = (text: string): boolean => !values.isUrl(text) && urlKind(text) === 'page';
    if (values.share(profile, isBare) >= MIN_SHARE && !/[{}]/u.test(name))
      return {
        factor: 0.9,
        why: 'values are page URLs without "https://"',
        mapping: { template: `https://{${name}}` },
      };
    return values.share(profile, values.isUrl) >= SOME_PAGES
      ? { factor: 0.7, why: pages.why }
      : unfit('values are not URLs');
  }
  if (shareOfKinds(profile, 'person', 'company') > 0.5) return { factor: 0.6, why: 'values are profiles, not pages' };
  if (values.share(profile, values.isDeepUrl) < MOST_PAGES)
    return { factor: 0.5, why: 'values are websites, not pages' };
  if (trust < 0.9 && values.share(profile, (text) => ABOUT_A_COMPANY.test(text)) > 0.5) {
    return { factor: 0.8, why: 'values are pages about companies' };
  }
  return profile.distinct.length < profile.texts.length / 2
    ? { factor: 0.75, why: 'many rows have the same URL' }
    : pages;
}

export function judgePost(column: Column, trust: number): Verdict {
  const { profile } = column;
  const posts = judgeValues(profile, 'post URLs', (text) => urlKind(text) === 'post');
  if (posts.factor === 1) return { factor: trust < 0.9 ? ONLY_POSTS : 1, why: posts.why };
  if (shareOfKinds(profile, 'person', 'company') > 0) return unfit('values are profiles, not posts');
  return judgePage(column, trust);
}

export function judgeProfile({ profile }: Column): Verdict {
  const people = judgeValues(profile, 'profiles of people', (text) => urlKind(text) === 'person');
  if (people.factor === 1) {
    const members = values.share(profile, (text) => text.includes('/sales/')) > 0.5;
    return { factor: members ? FOR_MEMBERS : ONLY_THIS, why: people.why };
  }
  if (people.factor === 0 && shareOfKinds(profile, 'person') > 0.5)
    return { factor: 0.8, why: 'some values are profiles of people' };
  if (shareOfKinds(profile, 'company', 'post') > 0) return unfit('values are not profile URLs');
  // A handle is not a URL, but a template can make one of it.
  if (values.share(profile, (text) => /^@?[a-z0-9_.-]{2,30}$/u.test(text)) >= MIN_SHARE) {
    return { factor: 1, why: 'values are user names, not URLs' };
  }
  const deep = profile.texts.filter((text) => urlKind(text) === 'page' || urlKind(text) === 'person').length;
  if (deep < MIN_SHARE * profile.texts.length) return unfit('values are not profile URLs');
  // Everybody's own site, and not their pages on one: t.co/8kQz1LmPa0, lena.example/about.
  const sites = new Set(profile.texts.map((text) => values.domainIn(text)));
  return values.share(profile, values.isShortLink) > 0.5 || (sites.size > 2 && sites.size > profile.texts.length / 2)
    ? { factor: 0.7, why: 'values are perhaps not profile URLs' }
    : { factor: 1, why: inSample('profile URLs', deep, profile.texts.length) };
}

/** Pages of one site, which is no social network, with its name and "URL" in the header: "Dealroom URL". */
export function isNamedLikeSite({ key, meanings: { known }, profile: { distinct } }: Column): boolean {
  const hosts = new Set(distinct.map((text) => hostOfPage(text)));
  const [host = ''] = hosts;
  return (
    hosts.size === 1 &&
    distinct.length > 1 &&
    host.split('.').some((label) => label.length > 3 && key.includes(label)) &&
    known.has('url') &&
    networkOf(`https://${host}/`) === undefined &&
    !known.has('media') &&
    !known.has('company')
  );
}

/** Of a page, with "https://" or without; empty if the text is no page. */
function hostOfPage(text: string): string {
  const url = values.isUrl(text) ? text : `https://${text}`;
  return values.isDeepUrl(url) ? new URL(url).hostname : '';
}

/** The domain of the pages in another column: that of who published them. */
export function isSiteOfPages({ name, profile }: Column, columns: readonly Column[]): boolean {
  const domains = profile.cells.map((cell) => (cell === '' ? undefined : values.domainIn(cell)));
  return columns.some((other) => {
    if (other.name === name || values.share(other.profile, values.isDeepUrl) < 0.5) return false;
    const same = domains.filter(
      (domain, row) => domain !== undefined && domain === values.domainIn(other.profile.cells[row] ?? ''),
    );
    return same.length > profile.texts.length / 2;
  });
}
