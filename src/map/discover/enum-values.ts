/**
 * Matches values with the allowed values of a field by synonyms ("Series B" is funding). All sampled values must be known: an
 * incomplete table would reject rows.
 */
import { type Field, squash } from '../../contract/index.ts';
import type { ColumnProfile } from './column-facts.ts';

export type EnumMatch =
  /** All values are allowed as they are; validation converts them. */
  | { readonly kind: 'known' }
  /** All values have synonyms: a table from sampled values to allowed ones. */
  | { readonly kind: 'table'; readonly values: Readonly<Record<string, string>> };

/** Shorter words begin too many others. */
const MIN_STEM = 6;

/** A column with more distinct values is not an enumeration. */
const MAX_VALUES = 25;

const SOURCES = synonyms({
  funding:
    'fundraise,fundraising,funding round,investment,investment round,venture round,seed,pre-seed,seed round,angel,series a,series b,series c,series d,series e,series f,grant,raised,finanzierung,finanzierungsrunde,levée de fonds,financement,financiación,ronda de financiación,finanziamento,financiamento,financiering',
  job_posting:
    'job,jobs,job post,job posts,job postings,job opening,job openings,hiring,hiring signal,vacancy,vacancies,open role,open roles,recruiting,stellenanzeige,stelle,stellen,offre d’emploi,emploi,recrutement,empleo,oferta de empleo,vacante,offerta di lavoro,lavoro,vaga,emprego,vacature',
  linkedin: 'linked in,linkedin post,linkedin activity,linkedin.com',
  news: 'press,press release,article,articles,news article,media,media mention,presse,nachricht,nachrichten,actualité,actualités,noticia,noticias,notizia,notizie,notícia,notícias,nieuws',
  review_site:
    'review,reviews,product review,review site,g2,capterra,trustpilot,trustradius,bewertung,avis,reseña,recensione,avaliação',
  tech_install:
    'tech,technology,technographic,technographics,tech stack,tech change,technology change,technology install,install,new technology,technologie,tecnología,tecnologia',
  twitter: 'x,tweet,tweets,x (twitter),twitter/x,twitter.com,x.com',
  web_visit:
    'visit,visits,website visit,web visits,site visit,page visit,pageview,website visitor,webseitenbesuch,visite,visita,bezoek',
  other: 'others,misc,miscellaneous,sonstige,sonstiges,andere,autre,autres,otro,otros,altro,outro,outros,overig',
});

const ENGAGEMENTS = synonyms({
  like: 'liked,likes,favorite,favourite,favorited,thumbs up,gefällt mir,j’aime,me gusta,mi piace,curtir,curtida,vind ik leuk',
  comment: 'commented,comments,reply,replied,replies,kommentar,commentaire,comentario,commento,comentário,reactie',
  repost:
    'reposted,reposts,share,shared,shares,retweet,retweeted,rt,geteilt,partage,compartido,condivisione,compartilhamento,gedeeld',
  mention: 'mentioned,mentions,tag,tagged,erwähnung,mención,menzione,menção,vermelding',
});

/** Reactions that are sent unchanged: the interface's list of engagement types is open. */
const REACTIONS =
  'praise,empathy,celebrate,support,love,insightful,interest,funny,entertainment,appreciation,curious,follow,followed,quote,click,view,save,reaction'.split(
    ',',
  );

const NETWORKS = synonyms({
  linkedin: 'linked in,linkedin.com',
  twitter: 'x,twitter.com,x.com,x (twitter),twitter/x',
});
/** Offered to users. The interface has linkedin and twitter as examples, and takes others. */
export const NETWORKS_SHOWN = ['linkedin', 'twitter', 'youtube', 'reddit', 'facebook', 'instagram', 'tiktok'] as const;
const OTHER_NETWORKS = [
  ...NETWORKS_SHOWN.slice(2),
  ...['threads', 'bluesky', 'mastodon', 'xing', 'github', 'medium', 'slack', 'discord', 'pinterest'],
];

interface KnownWords {
  /** From a synonym to the allowed value. */
  readonly synonyms: ReadonlyMap<string, string>;
  /** Values outside an open list that are sent unchanged. */
  readonly others: readonly string[];
}

const WORDS: Readonly<Record<string, KnownWords>> = {
  signal_source: { synonyms: SOURCES, others: [] },
  engagement_type: { synonyms: ENGAGEMENTS, others: REACTIONS },
  platform: { synonyms: NETWORKS, others: OTHER_NETWORKS },
};

const NO_WORDS: KnownWords = { synonyms: new Map(), others: [] };

/** The values of a field that a user can choose from. */
export function usualValues({ name, kind }: Field): readonly string[] {
  return name === 'platform' ? NETWORKS_SHOWN : (kind.values ?? []);
}

/** For the enum and open fields with synonyms here. Undefined if a value is not known. */
export function matchEnumValues({ name, kind }: Field, { distinct }: ColumnProfile): EnumMatch | undefined {
  if (distinct.length === 0 || distinct.length > MAX_VALUES) return undefined;
  const { synonyms, others } = WORDS[name] ?? NO_WORDS;
  const allowed = new Map((kind.values ?? []).map((value) => [squash(value), value]));
  const known = new Set([...allowed.keys(), ...others.map(squash)]);
  if (distinct.every((value) => known.has(squash(value)))) return { kind: 'known' };
  const values: Record<string, string> = {};
  for (const value of distinct) {
    const key = squash(value);
    const target = synonyms.get(key) ?? allowed.get(key) ?? (known.has(key) ? value : undefined);
    if (target === undefined) return undefined;
    values[value] = target;
  }
  return { kind: 'table', values };
}

/** The allowed value that a text is a form or a synonym of. For a proposal that the user sees. */
export function enumSynonym({ name, kind }: Field, text: string): string | undefined {
  const key = squash(text);
  const synonyms = WORDS[name]?.synonyms ?? new Map<string, string>();
  const same = synonyms.get(key) ?? kind.values?.find((value) => squash(value) === key);
  // An inflected form has another end: Stellenanzeigen.
  return (
    same ??
    [...synonyms].find(
      ([word]) => word.length >= MIN_STEM && key.length - word.length <= 3 && key.startsWith(word),
    )?.[1]
  );
}

/** The share of sampled values that are known in any form, from 0 to 1. */
export function knownShare({ name, kind }: Field, { distinct }: ColumnProfile): number {
  const { synonyms, others } = WORDS[name] ?? NO_WORDS;
  const known = new Set([...[...(kind.values ?? []), ...others].map(squash), ...synonyms.keys()]);
  return distinct.length === 0 ? 0 : distinct.filter((value) => known.has(squash(value))).length / distinct.length;
}

/** Whether a text names a kind of source, such as "Funding" or "Press release". */
export function isKindOfSource(text: string): boolean {
  return SOURCES.has(squash(text)) || [...SOURCES.values()].includes(squash(text)) || squash(text) === 'jobposting';
}

function synonyms(lists: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(lists).flatMap(([target, list]) => list.split(',').map((word) => [squash(word), target] as const)),
  );
}
