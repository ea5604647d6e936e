/**
 * The sandbox's classifier: fixed rules on words. The service classifies with AI and shows neither families nor method
 * (interface.md, "Effects"); this classifier states the reason for each result.
 */

export interface Classification {
  readonly family: string;
  /** What decided: the record's own `signal_family`, its source, or a word in its title or description. */
  readonly by: 'given' | 'source' | 'title' | 'description';
  /** The value or the word, cut at {@link MAX_REASON_LENGTH} characters. */
  readonly because: string;
}

/** Maximum length of a value that is quoted from a record, in characters. */
const MAX_REASON_LENGTH = 60;

/** Characters at the start of a text that are searched for words. */
const SEARCH_LENGTH = 500;

/** Sources that determine the family. */
const FAMILY_BY_SOURCE: ReadonlyMap<string, string> = new Map([
  ['funding', 'funding'],
  ['job_posting', 'hiring'],
  ['tech_install', 'technology'],
  ['review_site', 'review'],
  ['web_visit', 'intent'],
]);

/** The words of each family. If a text has words of several families, the first one in this list wins. */
const WORDS: readonly (readonly [family: string, words: string])[] = [
  ['acquisition', 'acquir\\w*|acquisition\\w*|merg(?:er|es|ed|ing)|takeover|buys|bought'],
  ['funding', 'rais(?:e|es|ed|ing)|funding|funded|series [a-f]|seed round|investors?|ipo'],
  ['leadership', 'new (?:ceo|cto|cfo|coo|cmo|cro|vp|chief|head|director)|appoint\\w*|steps down|joins as'],
  ['hiring', 'hir(?:e|es|ed|ing)|recruit\\w*|vacanc\\w+|openings? for|job ads?'],
  ['partnership', 'partner\\w*|alliance|teams? up|joint venture'],
  ['product', 'launch\\w*|releas\\w+|unveil\\w*|introduces'],
  ['technology', 'install\\w*|migrat\\w+|adopts?|adopted|switch(?:es|ed) to|rolls? out|implement\\w*'],
  ['expansion', 'open(?:s|ed|ing)|expan\\w+|new (?:office|site|hub|plant|stores?|properties)|moves to'],
  ['review', 'reviews?|ratings?|stars?'],
  ['intent', 'visit(?:s|ed)|pricing|demo|asked for|recommendations?|compar\\w+'],
];

/** The family of a source if no word is found. */
const FALLBACK: ReadonlyMap<string, string> = new Map([
  ['linkedin', 'social'],
  ['twitter', 'social'],
  ['news', 'news'],
]);

const PATTERNS = WORDS.map(([family, words]) => [family, new RegExp(`\\b(?:${words})\\b`, 'i')] as const);

/** Any word of any family. Most texts contain none and need only this search. */
const ANY_WORD = new RegExp(`\\b(?:${WORDS.map(([, words]) => words).join('|')})\\b`, 'i');

/**
 * The family of a signal, in this order: its own `signal_family`, a source that determines the family, a word in the title,
 * a word in the description, else the source.
 */
export function classify(signal: {
  readonly family: unknown;
  readonly source: unknown;
  readonly title: unknown;
  readonly description: unknown;
}): Classification {
  const { family, source, title, description } = signal;
  if (typeof family === 'string' && family.trim() !== '') {
    const given = family.trim().slice(0, MAX_REASON_LENGTH);
    return { family: given, by: 'given', because: given };
  }
  const sourceName = String(source);
  const bySource = FAMILY_BY_SOURCE.get(sourceName);
  if (bySource !== undefined) return { family: bySource, by: 'source', because: sourceName };
  return (
    wordIn(title, 'title') ??
    wordIn(description, 'description') ?? {
      family: FALLBACK.get(sourceName) ?? 'other',
      by: 'source',
      because: sourceName,
    }
  );
}

function wordIn(text: unknown, by: 'title' | 'description'): Classification | undefined {
  if (typeof text !== 'string') return undefined;
  const start = text.slice(0, SEARCH_LENGTH);
  if (!ANY_WORD.test(start)) return undefined;
  for (const [family, words] of PATTERNS) {
    const word = words.exec(start)?.[0];
    if (word !== undefined) return { family, by, because: word.toLowerCase() };
  }
  return undefined;
}
