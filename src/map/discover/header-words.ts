/**
 * Headers as bags of words, so that "Company Name", "companyName", "name_of_company" and "company.name" are one.
 * Pure text work; which words mean which field is header-synonyms.ts.
 */

/** Words that carry no meaning in a header, in the languages of the lexicon. */
const STOP: ReadonlySet<string> = new Set(
  'a al am an at d da das de dei del della dell delle den der des di die do dos du e el het il in l la las le les lo los of on op the to van von zu zum zur'.split(
    ' ',
  ),
);

/** Words that name a currency, a unit or a way to write dates: they tell rivals apart, and not what the column is. */
const UNITS: ReadonlySet<string> = new Set(
  'usd eur gbp chf dollars euros euro us m mm mio mil million millions 000s thousands k currency dd mm y yy yyyy'.split(
    ' ',
  ),
);

/** Short forms that headers have for want of room. */
const SHORT: Readonly<Record<string, string>> = {
  addr: 'address',
  amt: 'amount',
  desc: 'description',
  emps: 'employees',
  num: 'number',
  nr: 'number',
  org: 'organization',
};

/** Letters beyond ASCII may stand in it. The classes of Unicode take long to build, and most headers need none. */
const FOREIGN = /[^ -~]/;

/** The words of a header, in its order: lower case, without accents, camel case taken apart, short forms spelt out. */
export function words(header: string): readonly string[] {
  const numbered = header.replaceAll('#', ' number ');
  return (FOREIGN.test(numbered) ? anyWords(numbered) : asciiWords(numbered))
    .filter((word) => word !== '')
    .map((word) => (Object.hasOwn(SHORT, word) ? (SHORT[word] ?? word) : word));
}

function anyWords(header: string): readonly string[] {
  return (
    header
      // One name, however it is written.
      .replace(/linked[\s_-]?in/giu, 'Linkedin')
      .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
      .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .replaceAll('ß', 'ss')
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
  );
}

/** The same for ASCII, where the classes are these letters and digits, and nothing has an accent. */
function asciiWords(header: string): readonly string[] {
  return header
    .replace(/linked[\s_-]?in/gi, 'Linkedin')
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/);
}

/** One text for all orders of the same words. Empty where nothing but empty words is there. */
export function bag(header: string): string {
  return key(words(header).filter((word) => !STOP.has(word)));
}

/** The words in their order without anything between them: `jobtitle` is how some exports write "job title". */
export function runTogether(header: string): string {
  return words(header).join('');
}

/** The bag without units: "Money Raised (in USD)" and "Money Raised" are one. */
export function bagWithoutUnits(header: string): string {
  return key(words(header).filter((word) => !STOP.has(word) && !UNITS.has(word)));
}

/**
 * The bag of an NDJSON path's first and last segment: `company.category.industry` is the company's industry.
 * Undefined for a name that is no path of three segments or more.
 */
export function bagOfPath(column: string): string | undefined {
  const segments = column.split('.');
  const [first, last] = [segments[0], segments.at(-1)];
  return segments.length < 3 || first === undefined || last === undefined ? undefined : bag(`${first} ${last}`);
}

function key(list: readonly string[]): string {
  return [...new Set(list)].sort().join(' ');
}
