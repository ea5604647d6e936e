/**
 * Accounts, matched by domain, then by name: `company_domain` is "used for account matching" (interface.md, "Market
 * signal"). How the service matches is not shown.
 */
import type { Account } from './profile-files.ts';

export interface Match {
  readonly account: Account;
  readonly by: 'domain' | 'name';
}

export class Accounts {
  readonly #byDomain = new Map<string, Account>();
  readonly #byName = new Map<string, Account>();

  constructor(initial: readonly Account[]) {
    for (const account of initial) this.add(account);
  }

  /** If two accounts have the same domain or name, the first one matches. */
  add(account: Account): void {
    const domain = domainKey(account.domain);
    const name = nameKey(account.name);
    if (domain !== '' && !this.#byDomain.has(domain)) this.#byDomain.set(domain, account);
    if (name !== '' && !this.#byName.has(name)) this.#byName.set(name, account);
  }

  match(domain: unknown, name: unknown): Match | undefined {
    // A subdomain belongs to its domain: eu.acme.com to acme.com.
    for (let key = domainKey(domain); key.includes('.'); key = key.slice(key.indexOf('.') + 1)) {
      const account = this.#byDomain.get(key);
      if (account !== undefined) return { account, by: 'domain' };
    }
    const account = this.#byName.get(nameKey(name));
    return account && { account, by: 'name' };
  }
}

/** Maximum length of a domain name (RFC 1035, 2.3.4). */
const MAX_DOMAIN_LENGTH = 255;

/** A domain without scheme, path, port and `www.`, in lower case; '' if the value is not a domain. */
export function domainKey(value: unknown): string {
  if (typeof value !== 'string' || value.length > MAX_DOMAIN_LENGTH) return '';
  const host = value
    .trim()
    .toLowerCase()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//, '');
  return (/^[^/?#:@\s]*/.exec(host)?.[0] ?? '').replace(/^www\./, '').replace(/\.$/, '');
}

/** Legal forms, which are ignored at the end of a name. */
const LEGAL_FORMS = new Set(
  'inc incorporated llc ltd limited plc corp corporation co company gmbh ag kg se sa sas sarl bv nv ab as oy spa srl pty'.split(
    ' ',
  ),
);

/** Maximum number of characters that are compared. */
const MAX_NAME_LENGTH = 200;

/** A name without case, accents, punctuation and legal form; '' if nothing remains. */
export function nameKey(value: unknown): string {
  if (typeof value !== 'string') return '';
  const cut = value.slice(0, MAX_NAME_LENGTH).toLowerCase();
  // Normalisation is slow, and most names are ASCII.
  const plain = /^[\x20-\x7e]*$/.test(cut) ? cut : cut.normalize('NFKD').replace(/\p{M}+/gu, '');
  // The dots of S.A. and Inc. do not separate words.
  const words = plain.replaceAll('.', '').match(/[\p{L}\p{N}]+/gu) ?? [];
  while (words.length > 1 && LEGAL_FORMS.has(words.at(-1) ?? '')) words.pop();
  return words.join(' ');
}
