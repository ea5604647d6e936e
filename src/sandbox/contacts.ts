/**
 * Contacts: people by the address of their profile (interface.md: `engager_profile_url` is "crucial for contact
 * resolution"). Two spellings of one address are one person; without an address nobody is resolved.
 */

export interface Contact {
  readonly id: string;
  /** The profile's address, as {@link profileKey} gives it. */
  readonly profile: string;
}

export interface Contacts {
  /** The contact of that profile, made where there was none; undefined where the value is no address. */
  resolve(profileUrl: unknown): Contact | undefined;
  /** Takes up a contact that an earlier sandbox made. */
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

/** Hosts under which one network is known. */
const SAME_HOST: ReadonlyMap<string, string> = new Map([['twitter.com', 'x.com']]);

/** Longest address that is taken for one, in characters. */
const LONGEST = 2000;

/** Host and path without case, scheme, `www.`, query, fragment and a slash at the end. */
export function profileKey(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > LONGEST) return undefined;
  const given = value.trim();
  const url = URL.canParse(given)
    ? new URL(given)
    : URL.canParse(`https://${given}`)
      ? new URL(`https://${given}`)
      : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || !url.hostname.includes('.')) return undefined;
  const host = url.hostname
    .replace(/^(?:www|m|mobile)\.(?=[^.]+\.)/, '')
    .replace(/^[a-z]{2}\.(?=linkedin\.com$)/, '');
  const path = url.pathname.replace(/\/+$/, '').toLowerCase();
  // A host alone is a network and nobody in it.
  return path === '' ? undefined : `${SAME_HOST.get(host) ?? host}${path}`;
}
