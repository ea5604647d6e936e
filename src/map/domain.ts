/**
 * `as: domain`: the registrable domain of a URL, host name or e-mail address, in lower-case ASCII (RFC 5891), according to the
 * public suffix list of tldts. Its private part applies: `acme.myshopify.com` is Acme's domain, not Shopify's.
 *
 * Invalid: an IP address, a single word, a public suffix, two hosts, and a name under a top-level domain that does not exist
 * ("node.jss", "1.5"). An e-mail address at a consumer provider (free-mail.ts) identifies no company; a web address there does.
 */

import { getHostname, parse } from 'tldts';
import { scalarText } from '../lib/exact-number.ts';
import { parseUrl } from '../lib/url.ts';
import { type Convert, FreeMail, TransformError } from './column-values.ts';
import { isFreeMail } from './free-mail.ts';

const EXPECTED = 'a URL, host name or e-mail address with a domain such as acme.com';

type ParseOptions = Parameters<typeof parse>[1];

/** The options with the private part of the public suffix list, and without it. */
interface Options {
  readonly withPrivate: ParseOptions;
  readonly withPublic: ParseOptions;
}

const CHECKED: Options = {
  withPrivate: { detectSpecialUse: true, allowPrivateDomains: true },
  withPublic: { detectSpecialUse: true },
};
/** For a text that is known to be a host, and no IP address. */
const KNOWN_HOST = { extractHostname: false, validateHostname: false, detectIp: false } as const;
const UNCHECKED: Options = {
  withPrivate: { ...CHECKED.withPrivate, ...KNOWN_HOST },
  withPublic: { ...CHECKED.withPublic, ...KNOWN_HOST },
};

/** A host that the URL standard's parser does not change, unless a label is Punycode. Not an IP address. */
const PLAIN_HOST = /^(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*$/;

export const toDomain: Convert = (value) => {
  const text = scalarText(value);
  if (text === undefined) return new TransformError('type', value, EXPECTED);
  const found = getHostname(text);
  const isPlain = found !== null && PLAIN_HOST.test(found) && !found.includes('xn--');
  // The URL standard's parser converts IDN, full-width letters and case.
  const host = isPlain || found === null ? found : parseUrl(`http://${found}/`)?.hostname;
  const domain = host && domainOf(host, isPlain ? UNCHECKED : CHECKED);
  if (!domain) return new TransformError('domain', value, EXPECTED);
  return isFreeMail(domain) && isAddress(text) ? new FreeMail(text, domain) : domain;
};

/** An e-mail address. In a URL an "@" may separate a user from the host, or be part of a path or a query. */
function isAddress(text: string): boolean {
  return /^(?:mailto:)?[^\s/?#@:]+@[^\s/?#@:]+$/i.test(text);
}

function domainOf(host: string, { withPrivate, withPublic }: Options): string | undefined {
  const bare = host.startsWith('www.') ? host.slice('www.'.length) : host;
  // Without "www." first, then with private suffixes as public ones (github.io), then as given (www.com).
  return registrable(bare, withPrivate) ?? registrable(bare, withPublic) ?? registrable(host, withPublic);
}

function registrable(host: string, options: ParseOptions): string | undefined {
  const result = parse(host, options);
  const known = result.isIcann === true || result.isPrivate === true || result.isSpecialUse === true;
  return known && result.domain !== null ? result.domain : undefined;
}
