/**
 * The sandbox's classifier: rules and words, and no more. interface.md says that the service classifies with AI and
 * names neither the families nor how; this one is here to be understood, and says of each answer what it rests on.
 */

export interface Classification {
  readonly family: string;
  /** What decided: the record's own `signal_family`, its source, or a word in its title or description. */
  readonly by: 'given' | 'source' | 'title' | 'description';
  /** The value or the word itself, cut at {@link LONGEST} characters. */
  readonly because: string;
}

export interface Classifiable {
  readonly family: unknown;
  readonly source: unknown;
  readonly title: unknown;
  readonly description: unknown;
}

/** Longest text that an answer repeats from a record, in characters. */
const LONGEST = 60;

/** Characters of a text in which words are looked for: what matters stands at the beginning. */
const READ = 500;

/** Sources that name a family by themselves. */
const TELLING: ReadonlyMap<string, string> = new Map([
  ['funding', 'funding'],
  ['job_posting', 'hiring'],
  ['tech_install', 'technology'],
  ['review_site', 'review'],
  ['web_visit', 'intent'],
]);

/** The words of each family. Of several in one text, the family that stands first here decides. */
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

/** Where no word was found. */
const OTHERWISE: ReadonlyMap<string, string> = new Map([
  ['linkedin', 'social'],
  ['twitter', 'social'],
  ['news', 'news'],
]);

const ANY = WORDS.map(([family, words]) => [family, new RegExp(`\\b(?:${words})\\b`, 'i')] as const);

/** Any word of any family: most texts are done with after one look. */
const SOME = new RegExp(`\\b(?:${WORDS.map(([, words]) => words).join('|')})\\b`, 'i');

/** The families that this classifier itself gives. A record may name any other. */
export const FAMILIES: readonly string[] = [
  ...new Set([...ANY.map(([family]) => family), ...TELLING.values(), ...OTHERWISE.values(), 'other']),
];

/**
 * The family of a signal. In this order: what the record says itself (interface.md: `signal_family` "improves
 * classification accuracy"), a source that names a family, a word in the title, a word in the description, and
 * else the source.
 */
export function classify({ family, source, title, description }: Classifiable): Classification {
  if (typeof family === 'string' && family.trim() !== '') {
    const given = family.trim().slice(0, LONGEST);
    return { family: given, by: 'given', because: given };
  }
  const from = String(source);
  const told = TELLING.get(from);
  if (told !== undefined) return { family: told, by: 'source', because: from };
  return (
    wordIn(title, 'title') ??
    wordIn(description, 'description') ?? {
      family: OTHERWISE.get(from) ?? 'other',
      by: 'source',
      because: from,
    }
  );
}

function wordIn(text: unknown, by: 'title' | 'description'): Classification | undefined {
  if (typeof text !== 'string') return undefined;
  const read = text.slice(0, READ);
  if (!SOME.test(read)) return undefined;
  for (const [family, words] of ANY) {
    const word = words.exec(read)?.[0];
    if (word !== undefined) return { family, by, because: word.toLowerCase() };
  }
  return undefined;
}
