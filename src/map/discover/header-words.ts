/** Headers as bags of words, so that "Company Name", "companyName", "name_of_company" and "company.name" are equal. */

/** Words without meaning in a header, in the languages of header-synonyms.ts. */
const STOP: ReadonlySet<string> = new Set(
  'a al am an at d da das de dei del della dell delle den der des di die do dos du e el het il in l la las le les lo los of on op the to van von zu zum zur'.split(
    ' ',
  ),
);

/** Currencies, units and date formats: they distinguish rival columns, but not what a column is. */
const UNITS: ReadonlySet<string> = new Set(
  'usd eur gbp chf dollars euros euro us m mm mio mil million millions 000s thousands k currency dd mm y yy yyyy'.split(
    ' ',
  ),
);

/** Abbreviations in headers. */
const SHORT: Readonly<Record<string, string>> = {
  addr: 'address',
  amt: 'amount',
  desc: 'description',
  emps: 'employees',
  num: 'number',
  nr: 'number',
  org: 'organization',
};

/** Letters that have no decomposition. */
const LETTERS: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', ð: 'd', ø: 'o', đ: 'd', ı: 'i', ł: 'l', œ: 'oe' };

/** Not printable ASCII. Unicode classes take long to build, and most headers do not need them. */
const FOREIGN = /[^ -~]/;

/** The words of a header in order: lower case, without accents, camel case split, abbreviations expanded. */
export function words(header: string): readonly string[] {
  const numbered = header.replaceAll('#', ' number ');
  return (FOREIGN.test(numbered) ? anyWords(numbered) : asciiWords(numbered))
    .filter((word) => word !== '')
    .map((word) => (Object.hasOwn(SHORT, word) ? (SHORT[word] ?? word) : word));
}

function anyWords(header: string): readonly string[] {
  return (
    header
      .replace(/linked[\s_-]?in/giu, 'Linkedin')
      .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
      .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
      .normalize('NFKD')
      // Only the accents of Latin letters: a mark of another script makes a different letter.
      .replace(/(?<=\p{Script=Latin})\p{M}+/gu, '')
      .normalize('NFKC')
      .toLowerCase()
      .replace(/[ßæðøđıłœ]/gu, (letter) => LETTERS[letter] ?? letter)
      .split(/[^\p{L}\p{M}\p{N}]+/u)
  );
}

/** A faster version for ASCII. */
function asciiWords(header: string): readonly string[] {
  return header
    .replace(/linked[\s_-]?in/gi, 'Linkedin')
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/);
}

/** The same text for any order of the same words. Empty if all words are stop words. */
export function bag(header: string): string {
  return key(words(header).filter((word) => !STOP.has(word)));
}

/** The words without separators: some exports write "job title" as `jobtitle`. */
export function runTogether(header: string): string {
  return words(header).join('');
}

/** The bag without units: "Money Raised (in USD)" equals "Money Raised". */
export function bagWithoutUnits(header: string): string {
  return key(words(header).filter((word) => !STOP.has(word) && !UNITS.has(word)));
}

/**
 * The bag of the first and last segment of an NDJSON path: `company.category.industry` is the company's industry. Undefined
 * for fewer than three segments.
 */
export function bagOfPath(column: string): string | undefined {
  const segments = column.split('.');
  const [first, last] = [segments[0], segments.at(-1)];
  return segments.length < 3 || first === undefined || last === undefined ? undefined : bag(`${first} ${last}`);
}

function key(list: readonly string[]): string {
  return [...new Set(list)].sort().join(' ');
}
