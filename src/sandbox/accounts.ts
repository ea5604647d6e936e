/**
 * Accounts, and how a record finds its own: by domain, then by name (interface.md: `company_domain` is "used for
 * account matching"). How the service compares is not shown; the rules here are the plain ones.
 */

export interface Account {
  readonly name: string;
  /** As {@link domainKey} gives it. */
  readonly domain?: string;
  readonly industry?: string;
  readonly employees?: number;
  readonly location?: string;
}

export interface Match {
  readonly account: Account;
  readonly by: 'domain' | 'name';
}

export interface Accounts {
  match(domain: unknown, name: unknown): Match | undefined;
  /** The first of two accounts with one domain or one name stays the one that is found. */
  add(account: Account): void;
}

export function createAccounts(known: readonly Account[]): Accounts {
  const byDomain = new Map<string, Account>();
  const byName = new Map<string, Account>();
  const add = (account: Account): void => {
    const domain = domainKey(account.domain);
    const name = nameKey(account.name);
    if (domain !== '' && !byDomain.has(domain)) byDomain.set(domain, account);
    if (name !== '' && !byName.has(name)) byName.set(name, account);
  };
  for (const account of known) add(account);
  return {
    add,
    match(domain, name) {
      // eu.acme.com belongs to acme.com, where that is an account: the longest domain that is one.
      for (let key = domainKey(domain); key.includes('.'); key = key.slice(key.indexOf('.') + 1)) {
        const account = byDomain.get(key);
        if (account !== undefined) return { account, by: 'domain' };
      }
      const account = byName.get(nameKey(name));
      return account === undefined ? undefined : { account, by: 'name' };
    },
  };
}

/** Longest domain name (RFC 1035, 2.3.4), in characters; longer texts are none. */
const LONGEST_DOMAIN = 255;

/** A domain without scheme, path, port and `www.`, in lower case; '' where the value is no text. */
export function domainKey(value: unknown): string {
  if (typeof value !== 'string' || value.length > LONGEST_DOMAIN) return '';
  const host = value
    .trim()
    .toLowerCase()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//, '');
  return (/^[^/?#:@\s]*/.exec(host)?.[0] ?? '').replace(/^www\./, '').replace(/\.$/, '');
}

/** Forms of a company that people write or leave out. */
const FORMS = new Set(
  'inc incorporated llc ltd limited plc corp corporation co company gmbh ag kg se sa sas sarl bv nv ab as oy spa srl pty'.split(
    ' ',
  ),
);

/** Longest name that is compared, in characters. */
const LONGEST_NAME = 200;

/** A name without case, accents, punctuation and the company's form; '' where nothing is left. */
export function nameKey(value: unknown): string {
  if (typeof value !== 'string') return '';
  const cut = value.slice(0, LONGEST_NAME).toLowerCase();
  // Most names are ASCII, and every record has one to look up.
  const plain = /^[\x20-\x7e]*$/.test(cut) ? cut : cut.normalize('NFKD').replace(/\p{M}+/gu, '');
  // The dots of S.A. and Inc. are no ends of words.
  const words = plain.replaceAll('.', '').match(/[\p{L}\p{N}]+/gu) ?? [];
  while (words.length > 1 && FORMS.has(words.at(-1) ?? '')) words.pop();
  return words.join(' ');
}
