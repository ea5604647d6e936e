import { expect, it } from 'vitest';
import { parseUrl } from '../../src/lib/url.ts';

it('parses a URL with a Latin-1 letter after many calls', () => {
  // One-byte strings, as the readers make them: only for these does the compiled URL.canParse of Node 20 fail.
  const urls = Array.from({ length: 100 }, (_, n) => Buffer.from(`http://é${n}.de/`, 'latin1').toString('latin1'));
  for (let round = 0; round < 300; round += 1) {
    expect(urls.filter((url) => parseUrl(url) === undefined)).toEqual([]);
  }
});

it('gives nothing for a text that is no URL', () => {
  expect(parseUrl('acme')).toBeUndefined();
});
