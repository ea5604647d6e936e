/**
 * `as: domain`: the registrable domain of a URL, host name or e-mail address, in lower-case ASCII (RFC 5891), according to the
 * public suffix list of tldts. Its private part applies: `acme.myshopify.com` is Acme's domain, not Shopify's.
 *
 * Invalid: an IP address, a single word, a public suffix, two hosts, and a name under a top-level domain that does not exist
 * ("node.jss", "1.5"). An e-mail address at a consumer provider (free-mail.ts) identifies no company; a web address there does.
 */

import { getHostname, parse } from 'tldts';
import { parseUrl } from '../lib/url.ts';
import { isFreeMail } from './free-mail.ts';
import { plainHost } from './plain-host.ts';
import { type Convert, FreeMail, TransformError, textOf } from './transform-error.ts';

const EXPECTED = 'a URL, host name or e-mail address with a domain such as acme.com';

const PUBLIC = { detectSpecialUse: true } as const;
const PRIVATE = { ...PUBLIC, allowPrivateDomains: true } as const;
/** For texts known to be a host. */
const KNOWN = { extractHostname: false, validateHostname: false, detectIp: false } as const;
const KNOWN_PUBLIC = { ...PUBLIC, ...KNOWN } as const;
const KNOWN_PRIVATE = { ...PRIVATE, ...KNOWN } as const;

export const toDomain: Convert = (value) => {
  if (typeof value !== 'string') return tldtsDomain(value);
  const plain = plainHost(value);
  const domain = plain === undefined ? undefined : domainOf(plain.host, KNOWN_PRIVATE, KNOWN_PUBLIC);
  if (plain === undefined || domain === undefined) return tldtsDomain(value);
  return plain.address && isFreeMail(domain) ? new FreeMail(value, domain) : domain;
};

/** The reference: the same without {@link plainHost}, two to three times as slow. */
export const tldtsDomain: Convert = (value) => {
  const text = textOf(value);
  if (text === undefined) return new TransformError('type', value, EXPECTED);
  const host = asciiHost(getHostname(text));
  const domain = host === undefined ? undefined : domainOf(host, PRIVATE, PUBLIC);
  if (domain === undefined) return new TransformError('domain', value, EXPECTED);
  return isFreeMail(domain) && isAddress(text) ? new FreeMail(text, domain) : domain;
};

/** An e-mail address. In a URL an "@" may separate a user from the host, or be part of a path or a query. */
function isAddress(text: string): boolean {
  return /^(?:mailto:)?[^\s/?#@:]+@[^\s/?#@:]+$/i.test(text);
}

type Options = Parameters<typeof parse>[1];

function domainOf(host: string, withPrivate: Options, withPublic: Options): string | undefined {
  const bare = host.startsWith('www.') ? host.slice('www.'.length) : host;
  // Without "www." first, then with private suffixes as public ones (github.io), then as given (www.com).
  return registrable(bare, withPrivate) ?? registrable(bare, withPublic) ?? registrable(host, withPublic);
}

function registrable(host: string, options: Options): string | undefined {
  const result = parse(host, options);
  const known = result.isIcann === true || result.isPrivate === true || result.isSpecialUse === true;
  return known && result.domain !== null ? result.domain : undefined;
}

/** A host that the URL standard's parser does not change, unless a label is Punycode. */
const PLAIN_HOST = /^(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*$/;

/** The URL standard's host parser converts IDN, full-width letters and case. */
function asciiHost(host: string | null): string | undefined {
  if (host === null) return undefined;
  if (PLAIN_HOST.test(host) && !host.includes('xn--')) return host;
  return parseUrl(`http://${host}/`)?.hostname;
}
