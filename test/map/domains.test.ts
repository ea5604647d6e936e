/** Domains, compared with those that tldts finds when it checks every text. */
import fc from 'fast-check';
import { getHostname, parse } from 'tldts';
import { describe, expect, it } from 'vitest';
import { FreeMail, TransformError } from '../../src/map/column-values.ts';
import { toDomain } from '../../src/map/domain.ts';

const RUNS = Number(process.env['SIGNALS_FAST_RUNS'] ?? 150);

/** Rules, wildcards and exceptions of both parts of the public suffix list, special names, and other names. */
const SUFFIXES = [
  ...'com de co.uk uk uk.com com.au ck www.ck kawasaki.jp city.kawasaki.jp x.kawasaki.jp xn--p1ai рф'.split(' '),
  ...'github.io myshopify.com s3.amazonaws.com compute.amazonaws.com blogspot.com'.split(' '),
  ...'example example.com test local onion home.arpa localhost jss c0m 1 gmail.com hotmail.co.uk web.de'.split(' '),
];

const label = fc.oneof(
  fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,9}$/),
  fc.constantFrom(
    ...'www acme a-b -a a- a--b xn--mnchen-3ya münchen ACME a_b 1'.split(' '),
    ...['', 'a'.repeat(63), 'a'.repeat(64)],
  ),
);
const hosts = fc
  .tuple(fc.array(label, { maxLength: 4 }), fc.constantFrom(...SUFFIXES))
  .map(([labels, suffix]) => [...labels, suffix].join('.'));
const before = fc.constantFrom(
  ...['', '', ' ', 'https://', 'https://'],
  ...'http:// https:// HTTPS:// ftp:// // info@ a.b+c_d@ a@b@ mailto:x@ https://u:p@ https://www. www. http:/ x: _ @'.split(
    ' ',
  ),
);
const behind = fc.constantFrom(
  ...['', '', ' ', '\t/x', '/x\ny', '\\x', '/x y', ', b.com'],
  ...'/ /about?x=1#y ?q=a@b.com #z :8080 :8080/x /http://other.com /a:b . .. @other.com /@x'.split(' '),
);
const edits = fc.array(
  fc.tuple(
    fc.nat(40),
    fc.constantFrom(0, 0, 1),
    fc.constantFrom('.', '-', '/', ':', '@', 'a', 'Z', '0', ' ', '%', 'é', '\t', '_', '+'),
  ),
  { maxLength: 2 },
);
const texts = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.tuple(before, hosts, behind, edits).map(([a, host, z, changed]) => {
      let text = a + host + z;
      for (const [index, cut, put] of changed) text = text.slice(0, index) + put + text.slice(index + cut);
      return text;
    }),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constantFrom('', 'https://', 'info@'), hosts).map((parts) => parts.join('')),
  },
  fc.webUrl(),
  fc.emailAddress(),
  fc.domain(),
  fc.ipV4(),
  fc.ipV6(),
  fc.string(),
);

/** The domain as tldts finds it when it checks each text that it is given. */
function checkedDomain(text: string): string | undefined {
  const name = getHostname(text);
  const host = name === null || !URL.canParse(`http://${name}/`) ? '' : new URL(`http://${name}/`).hostname;
  const bare = host.startsWith('www.') ? host.slice(4) : host;
  const tries = [
    parse(bare, { detectSpecialUse: true, allowPrivateDomains: true }),
    parse(bare, { detectSpecialUse: true }),
    parse(host, { detectSpecialUse: true }),
  ];
  const isKnown = ({ isIcann, isPrivate, isSpecialUse, domain }: (typeof tries)[number]): boolean =>
    domain !== null && [isIcann, isPrivate, isSpecialUse].includes(true);
  return tries.find(isKnown)?.domain ?? undefined;
}

describe('a domain', () => {
  it('is the one that tldts finds with all its checks', () => {
    fc.assert(
      fc.property(texts, (text) => {
        // Of a list, the first counts (fixtures/map/domain).
        fc.pre(!/[,;|\n]/u.test(text));
        const domain = toDomain(text);
        const wanted = checkedDomain(text);
        if (domain instanceof FreeMail) expect(domain.hint).toContain(`${wanted} is a free e-mail provider`);
        else expect(domain instanceof TransformError ? undefined : domain).toBe(wanted);
        if (typeof domain === 'string' && !domain.startsWith('www.')) expect(toDomain(domain)).toBe(domain);
      }),
      { numRuns: 20 * RUNS },
    );
  });
});
