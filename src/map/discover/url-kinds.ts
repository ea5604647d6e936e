/** What a URL shows according to its host and path: a person, a company, a post, a directory's page. */
import { parseUrl } from '../../lib/url.ts';
import { isUrl } from './text-kinds.ts';

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
  /** As a value of `platform`. */
  readonly name: string;
  readonly hosts: RegExp;
  /** Paths by kind, the first that matches; others are pages. */
  readonly post?: RegExp;
  readonly company?: RegExp;
  readonly person?: RegExp;
}

const USER = /^\/@?[\w.-]+\/?$/u;

const NETWORKS: readonly Network[] = [
  {
    name: 'linkedin',
    hosts: /(?:^|\.)(?:linkedin\.com|lnkd\.in)$/u,
    post: /^\/(?:posts|feed\/update|pulse|video\/(?:live|event))\b/u,
    company: /^\/(?:company|school|showcase|sales\/(?:company|accounts?))\//u,
    person: /^\/(?:in|pub|sales\/(?:lead|people)|talent\/profile)\//u,
  },
  {
    name: 'twitter',
    hosts: /(?:^|\.)(?:twitter|x)\.com$/u,
    post: /\/status(?:es)?\/\d+/u,
    person: /^\/(?!(?:i|search|hashtag|home|explore|intent|share)\/?$)@?[\w.-]+\/?$/u,
  },
  {
    name: 'youtube',
    hosts: /(?:^|\.)(?:youtube\.com|youtu\.be)$/u,
    post: /^\/(?:watch|shorts\/|live\/|post\/|embed\/|[\w-]{11}$)/u,
    person: /^\/(?:@|channel\/|c\/|user\/)/u,
  },
  {
    name: 'instagram',
    hosts: /(?:^|\.)instagram\.com$/u,
    post: /^\/(?:[\w.]+\/)?(?:p|reel|reels|tv|stories\/[\w.]+)\//u,
    person: USER,
  },
  {
    name: 'facebook',
    hosts: /(?:^|\.)(?:facebook\.com|fb\.com|fb\.watch)$/u,
    post: /\/(?:posts|videos|photos|permalink|reel)\/|^\/(?:permalink|story|photo)\.php|^\/(?:watch|reel|photo)\b/u,
    person: /^\/(?:profile\.php|people\/|@?[\w.-]+\/?$)/u,
  },
  { name: 'tiktok', hosts: /(?:^|\.)tiktok\.com$/u, post: /\/(?:video|photo)\/\d+/u, person: /^\/@/u },
  { name: 'reddit', hosts: /(?:^|\.)(?:reddit\.com|redd\.it)$/u, post: /\/comments\//u, person: /^\/(?:u|user)\//u },
  { name: 'threads', hosts: /(?:^|\.)threads\.(?:net|com)$/u, post: /\/post\//u, person: /^\/@/u },
  { name: 'bluesky', hosts: /(?:^|\.)bsky\.app$/u, post: /\/post\//u, person: /^\/profile\//u },
  { name: 'xing', hosts: /(?:^|\.)xing\.com$/u, company: /^\/(?:pages|companies)\//u, person: /^\/profile\//u },
  { name: 'github', hosts: /(?:^|\.)github\.com$/u, person: USER },
  { name: 'hackernews', hosts: /^news\.ycombinator\.com$/u, post: /^\/item$/u, person: /^\/user$/u },
  {
    name: 'stackexchange',
    hosts: /(?:^|\.)(?:stackexchange|stackoverflow|superuser|serverfault)\.com$/u,
    post: /^\/(?:questions|q|a)\/\d+/u,
    person: /^\/users\//u,
  },
  {
    name: 'weibo',
    hosts: /(?:^|\.)weibo\.(?:com|cn)$/u,
    post: /^\/(?:\d+|detail|status)\/\w+$/u,
    person: /^\/(?:[un]\/|profile\/)?[\w-]+\/?$/u,
  },
  {
    name: 'xiaohongshu',
    hosts: /(?:^|\.)xiaohongshu\.com$/u,
    post: /^\/(?:explore|discovery\/item)\//u,
    person: /^\/user\/profile\//u,
  },
  {
    name: 'vk',
    hosts: /(?:^|\.)vk\.(?:com|ru)$/u,
    post: /^\/(?:wall|video|photo|clip)-?\d+_\d+/u,
    company: /^\/(?:club|public|event)\d+/u,
    person: USER,
  },
  { name: 'telegram', hosts: /(?:^|\.)(?:t\.me|telegram\.me)$/u, post: /^\/(?:s\/)?\w+\/\d+/u, person: USER },
  {
    name: 'naver',
    hosts: /^(?:m\.)?(?:blog|cafe)\.naver\.com$/u,
    post: /^\/\w+\/\d+|^\/PostView/u,
    person: USER,
  },
];

/** Pages of networks with many hosts, such as Mastodon: /@lena, /@lena/115301122334455667. */
const ON_ANY_HOST: Pick<Network, 'post' | 'company' | 'person'> = {
  post: /^\/@[\w.@-]+\/\d{8,}$/u,
  person: /^\/@[\w.@-]+\/?$/u,
};

interface ParsedUrl {
  readonly url: URL;
  readonly network: Network | undefined;
}

/** Several questions about one text follow each other. */
let last: { readonly text: string; readonly parsed: ParsedUrl | undefined } | undefined;

function parsed(text: string): ParsedUrl | undefined {
  if (last?.text !== text) last = { text, parsed: parse(text) };
  return last.parsed;
}

function parse(text: string): ParsedUrl | undefined {
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
  const paths = network ?? ON_ANY_HOST;
  return (['post', 'company', 'person'] as const).find((kind) => paths[kind]?.test(url.pathname)) ?? 'page';
}

/** The value of `platform` for a URL on a social network. */
export function networkOf(text: string): string | undefined {
  return parsed(text)?.network?.name;
}
