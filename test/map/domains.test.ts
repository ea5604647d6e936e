/** Domains of plain hosts, compared with those that tldts and the URL standard's parser find. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tldtsDomain, toDomain } from '../../src/map/domain.ts';
import { plainHost } from '../../src/map/plain-host.ts';

const RUNS = Number(process.env['SIGNALS_FAST_RUNS'] ?? 150);

/** Rules, wildcards and exceptions of both parts of the public suffix list, special names, and other names. */
const SUFFIXES = [
  'com',
  'de',
  'co.uk',
  'uk',
  'uk.com',
  'com.au',
  'ck',
  'www.ck',
  'kawasaki.jp',
  'city.kawasaki.jp',
  'x.kawasaki.jp',
  'github.io',
  'myshopify.com',
  's3.amazonaws.com',
  'compute.amazonaws.com',
  'blogspot.com',
  'example',
  'example.com',
  'test',
  'local',
  'onion',
  'home.arpa',
  'localhost',
  'jss',
  'c0m',
  '1',
  'xn--p1ai',
  'рф',
  'gmail.com',
  'hotmail.co.uk',
  'web.de',
] as const;

const label = fc.oneof(
  fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,9}$/),
  fc.constantFrom(
    'www',
    'acme',
    'a-b',
    '-a',
    'a-',
    'a--b',
    'xn--mnchen-3ya',
    'münchen',
    'ACME',
    'a_b',
    '',
    '1',
    'a'.repeat(63),
    'a'.repeat(64),
  ),
);
const hosts = fc
  .tuple(fc.array(label, { maxLength: 4 }), fc.constantFrom(...SUFFIXES))
  .map(([labels, suffix]) => [...labels, suffix].join('.'));
const before = fc.constantFrom(
  '',
  '',
  'http://',
  'https://',
  'https://',
  'HTTPS://',
  'ftp://',
  '//',
  'info@',
  'a.b+c_d@',
  'a@b@',
  'mailto:x@',
  'https://u:p@',
  'https://www.',
  'www.',
  'http:/',
  ' ',
  'x:',
  '_',
  '@',
);
const behind = fc.constantFrom(
  '',
  '',
  '/',
  '/about?x=1#y',
  '?q=a@b.com',
  '#z',
  ':8080',
  ':8080/x',
  '/http://other.com',
  '/a:b',
  '.',
  '..',
  ' ',
  '\t/x',
  '/x\ny',
  '\\x',
  '/x y',
  ', b.com',
  '@other.com',
  '/@x',
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

describe('a plain host', () => {
  it('gives the same domain as tldts', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(toDomain(text)).toEqual(tldtsDomain(text));
      }),
      { numRuns: 20 * RUNS },
    );
  });

  it('does not affect values that are not texts', () => {
    for (const value of [7, null, true, {}, ['acme.com'], 2 ** 60]) {
      expect(toDomain(value)).toEqual(tldtsDomain(value));
    }
  });

  it.each([
    ['acme.com', 'acme.com', false],
    ['https://www.acme-17.example/about', 'www.acme-17.example', false],
    ['http://acme.co.uk?x=https://other.com', 'acme.co.uk', false],
    ['acme.com/about', 'acme.com', false],
    ['info@acme.co.uk', 'acme.co.uk', true],
    ['j_doe+x@acme.com', 'acme.com', true],
  ])('is found in %s', (text, host, address) => {
    expect(plainHost(text)).toEqual({ host, address });
  });

  it.each([
    '',
    'acme',
    'Acme.com',
    'https://',
    'acme.com:80',
    'acme.com/a:b',
    'info@acme.com/x',
    'https://info@acme.com',
    'a@b@acme.com',
    '@acme.com',
    'a_b.com',
    '-a.com',
    'a-.com',
    'a..com',
    '.acme.com',
    'acme.com.',
    '10.0.0.1',
    'acme.1com',
    'xn--mnchen-3ya.de',
    'münchen.de',
    ' acme.com',
    `${'a'.repeat(64)}.com`,
    `${'a.'.repeat(130)}com`,
  ])('is not in %j', (text) => {
    expect(plainHost(text)).toBeUndefined();
  });
});
