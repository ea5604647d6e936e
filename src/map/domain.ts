/**
 * `as: domain`: the registrable domain of a URL, host name or e-mail address, in lower-case ASCII (RFC 5891), according to the
 * public suffix list of tldts. Its private part applies: `acme.myshopify.com` is Acme's domain, not Shopify's.
 *
 * Of several, the first counts. Invalid: an IP address, a single word, a public suffix, and a name under a top-level domain that does not exist
 * ("node.jss", "1.5"). An e-mail address at a consumer provider ({@link isFreeMail}) identifies no company; a web address there does.
 */
import { getHostname, parse } from 'tldts';
import { scalarText } from '../lib/exact-number.ts';
import { parseUrl } from '../lib/url.ts';
import { type Convert, FreeMail, TransformError } from './column-values.ts';
import lists from './free-mail.json' with { type: 'json' };

const EXPECTED = 'a URL, host name or e-mail address with a domain such as acme.com';

/** Of a text that is a host: with the private part of the public suffix list, and without it. */
const PRIVATE = { extractHostname: false, detectSpecialUse: true, allowPrivateDomains: true };
const PUBLIC = { extractHostname: false, detectSpecialUse: true };

/** A host that the parser of URLs leaves as it is. */
const PLAIN_HOST = /^[a-z0-9.-]*[a-z]$/;
/** Between the domains of a list. Also allowed in a URL, so a text counts as a list only if all its parts have domains. */
const SEPARATOR = /[,;|\n]/u;
const MAX_LIST = 1000;

/** An e-mail address. In a URL an "@" may separate a user from the host, or be part of a path or a query. */
const ADDRESS = /^(?:mailto:)?[^\s/?#@:]+@[^\s/?#@:]+$/i;

export const toDomain: Convert = (value) => {
  const text = scalarText(value);
  if (text === undefined) return new TransformError('type', value, EXPECTED);
  const first = firstOfList(text);
  const domain = domainIn(first);
  if (domain === undefined) return new TransformError('domain', value, EXPECTED);
  return ADDRESS.test(first) && isFreeMail(domain) ? new FreeMail(first, domain) : domain;
};

function firstOfList(text: string): string {
  if (text.length > MAX_LIST || !SEPARATOR.test(text)) return text;
  const parts = text
    .split(SEPARATOR)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return parts.every((part) => domainIn(part) !== undefined) ? (parts[0] ?? text) : text;
}

function domainIn(text: string): string | undefined {
  const found = getHostname(text);
  if (found === null) return undefined;
  // The URL standard's parser converts IDN, full-width letters and case. It takes as long as everything else.
  const isPlain = PLAIN_HOST.test(found) && !found.includes('xn--');
  const host = isPlain ? found : getHostname(parseUrl(`http://${found}/`)?.hostname ?? '');
  return host === null ? undefined : domainOf(host);
}

function domainOf(host: string): string | undefined {
  const bare = host.startsWith('www.') ? host.slice('www.'.length) : host;
  // Without "www." first, then as given (www.com), with private suffixes as public ones (github.io).
  return registrable(bare, PRIVATE) ?? registrable(host, PUBLIC);
}

function registrable(host: string, options: typeof PUBLIC): string | undefined {
  const result = parse(host, options);
  const known = result.isIcann === true || result.isPrivate === true || result.isSpecialUse === true;
  return known && result.domain !== null ? result.domain : undefined;
}

/** Under any top-level domain: hotmail.co.uk, yahoo.com.br. */
const ANY_SUFFIX: ReadonlySet<string> = new Set(['fastmail', 'gmx', 'hotmail', 'outlook', 'posteo', 'yahoo']);

/**
 * From the public repository descope/go-free-email-providers, without companies and cities (alibaba.com, berlin.de): a wrong
 * entry discards a company's domain.
 */
const HOSTS: ReadonlySet<string> = new Set(lists.flatMap((line) => line.split(' ')));

/** Of e-mail addresses only: some providers are also companies with signals (orange.fr). `domain` is registrable, in lower-case ASCII. */
export function isFreeMail(domain: string): boolean {
  return HOSTS.has(domain) || ANY_SUFFIX.has(domain.slice(0, domain.indexOf('.')));
}
