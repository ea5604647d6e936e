/** What kind of thing a text is, whatever its column says: a post, a person, a headcount, an amount. */
import { rememberLast } from '../../lib/resources.ts';
import { parseUrl } from '../../lib/url.ts';
import { isFreeMail, toDomain } from '../domain.ts';
import networks from './social-networks.json' with { type: 'json' };
import words from './word-lists.json' with { type: 'json' };

/** Sites with pages about companies or people, which are not the company's own, and hosts of links that lead elsewhere. */
const NOT_OWN = new Set([...words.directories.split(' '), ...words.shorteners.split(' ')]);

/** Common given names in the languages of headers: enough to distinguish people from companies. */
const GIVEN_NAMES = new Set(words.given_names.split(' '));

/** Two to four capitalised words of which the first is a given name. */
export function isPerson(text: string): boolean {
  const [first = '', ...others] = text.normalize('NFD').replace(/\p{M}/gu, '').split(/\s+/u);
  const isName =
    others.length > 0 &&
    others.length < 4 &&
    others.every((part) => /^(?:\p{Lu}|d[aeio]s?$|v[ao]n$|l[ae]$)/u.test(part));
  return isName && GIVEN_NAMES.has(first.toLowerCase());
}

export function isUrl(text: string): boolean {
  return /^https?:\/\/\S+$/iu.test(text) && parseUrl(text) !== undefined;
}

export function isEmail(text: string): boolean {
  return /^[^\s@]+@[^\s@]+\.[^\s@]+$/u.test(text);
}

/** The registrable domain of a URL, host or e-mail address. */
export function domainIn(text: string): string | undefined {
  if (/\s/u.test(text)) return undefined;
  const domain = toDomain(text);
  return typeof domain === 'string' ? domain : undefined;
}

/** Whether the domain can be a company's own. */
export function isOwnDomain(domain: string | undefined): boolean {
  return domain !== undefined && !NOT_OWN.has(domain) && !isFreeMail(domain);
}

const JOB =
  /(?<!\p{L})(?:c[efimorst]o|ciso|cpo|cro|cdo|vp|svp|evp|(?:vice )?president|chief|head|director[a]?|direct(?:eur|rice)|direktor(?:in)?|manager(?:in)?|managing|lead|leiter(?:in)?|engineer|developer|entwickler(?:in)?|analyst|architect|consultant|berater(?:in)?|specialist|founder|co-?founder|owner|inhaber(?:in)?|partner|geschäftsführer(?:in)?|buyer|recruiter|designer|scientist|officer|coordinator|assistant|student|drh|gestionnaire|consultante|comprador[a]?|sóci[oa]|acheteu(?:r|se)|g[eé]rente|jefe|responsable|chargée?|ingénieure?|fondat(?:eur|rice)|responsabile|diret(?:or|ora)|coordenador[a]?|kierownik|dyrektor|prezes|inkoper|directeur|chef|ansvarig|müdür[üi]?|директор|менеджер|руководитель)(?!\p{L})|部長|課長|社長|担当|経理|总监|经理|总裁|工程师|대표|팀장|부장|매니저/iu;

export function isJobTitle(text: string): boolean {
  return text.length < 80 && JOB.test(text);
}

const HEADCOUNT =
  /^(?:[<>~≥≤≈约約약]|(?:more|less|fewer) than|über|unter|mehr als|plus de|moins de|mais de|más de|menos de|ok\.|ca?\.)?\s?\d[\d.,'’ ]*k?(?:\s?(?:[-–—~〜～]|to|bis|a|à|al|até|do|tot|til|till)\s?\d[\d.,'’ ]*k?)?\s?\+?(?:\s?\p{L}+\.?)?(?:\s\p{L}+\.?){0,3}$/iu;

/** 180, 1,200, 11-50, 51 to 200, 10000+, 51-200 employees, 120名. */
export function isHeadcount(text: string): boolean {
  return text.length <= 60 && HEADCOUNT.test(/\(([^)]*\d[^)]*)\)/u.exec(text)?.[1] ?? text);
}

/** Codes and signs of currencies. */
export const CURRENCY =
  /[$€£¥₹₩₺₽]|(?<!\p{L})(?:usd|eur|gbp|chf|inr|jpy|cny|rmb|krw|sek|dkk|nok|pln|brl|mxn|cad|aud|sgd|us|r|rs|zł|kr|ca|a|c)(?!\p{L})\.?|人民币|美元|欧元|港币|日元|英镑|달러|[元円원]/giu;

/** The code or the sign of a currency, and nothing else. */
export function isCurrency(text: string): boolean {
  return /^(?:[A-Z]{3}|\p{Sc})$/u.test(text) && text.replace(CURRENCY, '') === '';
}

/** An amount of money: digits, with currency, grouping and scale. */
export function isAmount(text: string): boolean {
  if (text.length > 40 || !/\d/u.test(text)) return false;
  const bare = text
    .replace(CURRENCY, '')
    .replace(
      /(?<!\p{L})(?:millions?|millionen|millones|milhões|milioni|miljoen|mio|mil|mln|mkr|mn|mm|bn|billions?|mrd|milliards?|thousand|tsd|crores?|cr|lakhs?|lacs?|k|m|b)(?!\p{L})\.?/giu,
      '',
    )
    .replace(/[万億亿百千만억]/gu, '')
    .replace(/[~≈+\s]/gu, '');
  return /^-?\d[\d.,'’]*$/u.test(bare);
}

/** An integer from 0 to 100. */
export function isPercentage(text: string): boolean {
  return /^(?:\d{1,2}|100)$/u.test(text);
}

/** Words or pictures: more than a number, and neither a URL nor an address. */
export function isWords(text: string): boolean {
  return /[\p{L}\p{Extended_Pictographic}]/u.test(text) && !isUrl(text) && !isEmail(text);
}

const RELATIVE =
  /^\d{1,3}\s?(?:[smhdw]|min|hrs?|days?|wks?|mos?|mths?|yrs?|y|j|sem|t)\.?$|\bago\b|^vor \d|\bil y a\b|\bhace\b|\bfa$|\bhá \d|geleden|sedan$|siden$|temu$|önce$|назад|\d ?(?:日|天|小时|時間|分钟|分|週間|か月|ヶ月)前|전$|^(?:today|yesterday|heute|gestern|vandaag|gisteren|hoy|ayer|oggi|ieri|hoje|ontem|idag|igår|dzisiaj|wczoraj|今日|昨日|今天|昨天|오늘|어제)/iu;

/** A time before an unknown day: 3 days ago, 1w, gestern. */
export function isRelative(text: string): boolean {
  return text.length < 30 && RELATIVE.test(text);
}

const ROUND =
  /^(?:(?:late |early )?(?:pre[\s-]?)?(?:seed|amor[cç]age|semilla|semente|angel|anjo)(?:[\s-]round| extension| \+)?|pre[\s-]?series [a-f]\d?|(?:series?|s[ée]rie|runda|rodada|ronda|round|tour|シリーズ)[\s_-]?[a-j][+\d]?(?:[\s-](?:round|extension))?|pre[\s-]?[a-c]轮|[a-j]\+?轮|天使轮|种子轮|시리즈\s?[a-j]|시드|シード|venture(?: round|[\s-]series unknown)?|convertible note|debt financing|private equity(?: round)?|post[\s-]?ipo (?:equity|debt|secondary)|bridge(?: round)?|corporate round|(?:equity|product) crowdfunding|initial coin offering|non[\s-]equity assistance|(?:growth|seed) equity|venture debt|mezzanine|secondary market)$/iu;

/** Whether a text names a kind of funding round, such as "Series B" or "Debt Financing". */
export function isRound(text: string): boolean {
  return text.length < 40 && ROUND.test(text);
}

/**
 * A person's page on a network, which on X or Instagram can also be a company's; a company's; a post, a comment or a video; the start
 * page of a site; any other page.
 */
export type UrlKind = 'person' | 'company' | 'post' | 'site' | 'page';

/** social-networks.json: of each network its hosts, and paths by kind, the first that matches. Those with many hosts come last. */
const NETWORKS = networks.map(({ name, hosts, ...paths }) => ({
  name,
  hosts: new RegExp(hosts, 'u'),
  paths: Object.entries(paths).map(([kind, path]) => [kind as UrlKind, new RegExp(path, 'u')] as const),
}));

/** What a URL shows, and the value of `platform` for it. Undefined if the text is neither a URL nor a host with or without a path. */
export const pageOf = rememberLast((text) => {
  const full = isUrl(text) ? text : /^(?:[\w-]+\.)+[a-z]{2,}(?:\/\S*)?$/iu.test(text) ? `https://${text}` : '';
  const url = parseUrl(full);
  if (url === undefined) return undefined;
  const network = NETWORKS.find(({ hosts }) => hosts.test(url.hostname));
  const isBare = url.pathname.replaceAll('/', '') === '' && url.search === '';
  const [kind = 'page'] = network?.paths.find(([, path]) => path.test(url.pathname)) ?? [];
  return { kind: isBare ? ('site' as const) : kind, network: network?.name };
});
