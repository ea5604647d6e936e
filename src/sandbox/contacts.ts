/**
 * Contacts, identified by the URL of their profile: `engager_profile_url` is "crucial for contact resolution"
 * (interface.md, "Social engagement event"). Different spellings of a URL are one contact.
 */

export interface Contact {
  readonly id: string;
  /** The normalised URL, see {@link profileKey}. */
  readonly profile: string;
}

export interface Contacts {
  /** The contact of that profile, created if it is new; undefined if the value is not a profile URL. */
  resolve(profileUrl: unknown): Contact | undefined;
  /** Restores a contact of an earlier sandbox. */
  restore(contact: Contact): void;
  readonly size: number;
}

export function createContacts(): Contacts {
  const byProfile = new Map<string, Contact>();
  return {
    resolve(profileUrl) {
      const profile = profileKey(profileUrl);
      if (profile === undefined) return undefined;
      const known = byProfile.get(profile);
      if (known !== undefined) return known;
      const contact = { id: `contact_${byProfile.size + 1}`, profile };
      byProfile.set(profile, contact);
      return contact;
    },
    restore(contact) {
      byProfile.set(contact.profile, contact);
    },
    get size() {
      return byProfile.size;
    },
  };
}

/** Hosts of the same network. */
const CANONICAL_HOST: ReadonlyMap<string, string> = new Map([['twitter.com', 'x.com']]);

/** Maximum length of a profile URL, in characters. */
const MAX_LENGTH = 2000;

/** Host and path without case, scheme, `www.`, query, fragment and a trailing slash. */
export function profileKey(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_LENGTH) return undefined;
  const given = value.trim();
  const url = URL.canParse(given)
    ? new URL(given)
    : URL.canParse(`https://${given}`)
      ? new URL(`https://${given}`)
      : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || !url.hostname.includes('.')) return undefined;
  const host = url.hostname.replace(/^(?:www|m|mobile)\.(?=[^.]+\.)/, '').replace(/^[a-z]{2}\.(?=linkedin\.com$)/, '');
  const path = url.pathname.replace(/\/+$/, '').toLowerCase();
  // A host without a path is a network, not a person.
  return path === '' ? undefined : `${CANONICAL_HOST.get(host) ?? host}${path}`;
}
