import { attempt } from './text.ts';

/**
 * Parses a URL. `URL.canParse` is not used: in Node 20, once its call is compiled, it refuses valid URLs that contain a
 * Latin-1 letter (`http://é.de/`). test/lib/url.test.ts shows it.
 */
export function parseUrl(text: string): URL | undefined {
  return attempt(() => new URL(text));
}

/** @param hostname of a `URL` object, which normalizes IP addresses */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}
