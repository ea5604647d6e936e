/** What a URL shows according to its host and path: a person, a company, a post, a directory's page. */
import { parseUrl } from '../../lib/url.ts';
import type { ColumnProfile } from './column-facts.ts';
import { isUrl, share } from './column-facts.ts';

export type UrlKind =
  /** A person's page on a network; on X or Instagram it can also be a company's. */
  | 'person'
  /** A company's page on a network. */
  | 'company'
  /** A post, a comment, a video. */
  | 'post'
  /** The start page of a site. */
  | 'site'
  /** Any other page. */
  | 'page';

interface Network {
  /** As values of `platform`. */
  readonly name: string;
  readonly hosts: RegExp;
  /** The first pattern that matches the path decides. */
  readonly paths: readonly (readonly [UrlKind, RegExp])[];
}

const USER = /^\/@?[\w.-]+\/?$/u;

const NETWORKS: readonly Network[] = [
  {
    name: 'linkedin',
    hosts: /(?:^|\.)(?:linkedin\.com|lnkd\.in)$/u,
    paths: [
      ['person', /^\/(?:in|pub|sales\/(?:lead|people)|talent\/profile)\//u],
      ['company', /^\/(?:company|school|showcase|sales\/(?:company|accounts?))\//u],
      ['post', /^\/(?:posts|feed\/update|pulse|video\/(?:live|event))\b/u],
    ],
  },
  {
    name: 'twitter',
    hosts: /(?:^|\.)(?:twitter|x)\.com$/u,
    paths: [
      ['post', /\/status(?:es)?\/\d+/u],
      ['page', /^\/(?:i|search|hashtag|home|explore|intent|share)(?:\/|$)/u],
      ['person', USER],
    ],
  },
  {
    name: 'youtube',
    hosts: /(?:^|\.)(?:youtube\.com|youtu\.be)$/u,
    paths: [
      ['post', /^\/(?:watch|shorts\/|live\/|post\/|embed\/)/u],
      ['person', /^\/(?:@|channel\/|c\/|user\/)/u],
      ['post', /^\/[\w-]{11}$/u],
    ],
  },
  {
    name: 'instagram',
    hosts: /(?:^|\.)instagram\.com$/u,
    paths: [
      ['post', /^\/(?:[\w.]+\/)?(?:p|reel|reels|tv|stories\/[\w.]+)\//u],
      ['person', USER],
    ],
  },
  {
    name: 'facebook',
    hosts: /(?:^|\.)(?:facebook\.com|fb\.com|fb\.watch)$/u,
    paths: [
      [
        'post',
        /\/(?:posts|videos|photos|permalink|reel)\/|^\/(?:permalink|story|photo)\.php|^\/(?:watch|reel|photo)\b/u,
      ],
      ['person', /^\/(?:profile\.php|people\/)/u],
      ['person', USER],
    ],
  },
  {
    name: 'tiktok',
    hosts: /(?:^|\.)tiktok\.com$/u,
    paths: [
      ['post', /\/(?:video|photo)\/\d+/u],
      ['person', /^\/@/u],
    ],
  },
  {
    name: 'reddit',
    hosts: /(?:^|\.)(?:reddit\.com|redd\.it)$/u,
    paths: [
      ['post', /\/comments\//u],
      ['person', /^\/(?:u|user)\//u],
    ],
  },
  {
    name: 'threads',
    hosts: /(?:^|\.)threads\.(?:net|com)$/u,
    paths: [
      ['post', /\/post\//u],
      ['person', /^\/@/u],
    ],
  },
  {
    name: 'bluesky',
    hosts: /(?:^|\.)bsky\.app$/u,
    paths: [
      ['post', /\/post\//u],
      ['person', /^\/profile\//u],
    ],
  },
  {
    name: 'xing',
    hosts: /(?:^|\.)xing\.com$/u,
    paths: [
      ['person', /^\/profile\//u],
      ['company', /^\/(?:pages|companies)\//u],
    ],
  },
  { name: 'github', hosts: /(?:^|\.)github\.com$/u, paths: [['person', USER]] },
  {
    name: 'hackernews',
    hosts: /^news\.ycombinator\.com$/u,
    paths: [
      ['post', /^\/item$/u],
      ['person', /^\/user$/u],
    ],
  },
  {
    name: 'weibo',
    hosts: /(?:^|\.)weibo\.(?:com|cn)$/u,
    paths: [
      ['post', /^\/(?:\d+|detail|status)\/\w+$/u],
      ['person', /^\/(?:[un]\/|profile\/)?[\w-]+\/?$/u],
    ],
  },
  {
    name: 'xiaohongshu',
    hosts: /(?:^|\.)xiaohongshu\.com$/u,
    paths: [
      ['post', /^\/(?:explore|discovery\/item)\//u],
      ['person', /^\/user\/profile\//u],
    ],
  },
  {
    name: 'vk',
    hosts: /(?:^|\.)vk\.(?:com|ru)$/u,
    paths: [
      ['post', /^\/(?:wall|video|photo|clip)-?\d+_\d+/u],
      ['company', /^\/(?:club|public|event)\d+/u],
      ['person', USER],
    ],
  },
  {
    name: 'telegram',
    hosts: /(?:^|\.)(?:t\.me|telegram\.me)$/u,
    paths: [
      ['post', /^\/(?:s\/)?\w+\/\d+/u],
      ['person', USER],
    ],
  },
  {
    name: 'naver',
    hosts: /^(?:m\.)?(?:blog|cafe)\.naver\.com$/u,
    paths: [
      ['post', /^\/\w+\/\d+|^\/PostView/u],
      ['person', USER],
    ],
  },
];

/** Of networks with many hosts, such as Mastodon: /@lena, /@lena/115301122334455667. */
const MEMBER_PAGES: Network['paths'] = [
  ['person', /^\/@[\w.@-]+\/?$/u],
  ['post', /^\/@[\w.@-]+\/\d{8,}$/u],
];

function parsed(text: string): { readonly url: URL; readonly network: Network | undefined } | undefined {
  const full = isUrl(text) ? text : /^(?:[\w-]+\.)+[a-z]{2,}(?:\/\S*)?$/iu.test(text) ? `https://${text}` : undefined;
  const url = full === undefined ? undefined : parseUrl(full);
  return url && { url, network: NETWORKS.find(({ hosts }) => hosts.test(url.hostname)) };
}

/** Undefined if the text is neither a URL nor a host with or without a path. */
export function urlKind(text: string): UrlKind | undefined {
  const found = parsed(text);
  if (found === undefined) return undefined;
  const { url, network } = found;
  const bare = url.pathname.replaceAll('/', '') === '' && url.search === '';
  if (bare) return 'site';
  return (network?.paths ?? MEMBER_PAGES).find(([, path]) => path.test(url.pathname))?.[0] ?? 'page';
}

/** The value of `platform` for a URL on a social network. */
export function networkOf(text: string): string | undefined {
  return parsed(text)?.network?.name;
}

/** The share of texts that are URLs of one of these kinds, from 0 to 1. */
export function shareOfKinds(profile: ColumnProfile, ...kinds: readonly UrlKind[]): number {
  return share(profile, (text) => {
    const kind = urlKind(text);
    return kind !== undefined && kinds.includes(kind);
  });
}
