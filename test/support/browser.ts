/** A real browser for the tests of pages. Tests are skipped if none is installed. */
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';

const executablePath = [process.env['SIGNALS_CHROMIUM'] ?? '', '/usr/bin/chromium'].find((name) => existsSync(name));

export const hasBrowser = executablePath !== undefined;

export const NEEDS = 'in a browser (needs Chromium, or one named by SIGNALS_CHROMIUM)';

/** Where to put pictures of the pages for people to look at. */
export const pictures = process.env['SIGNALS_PICTURES'];

export type Scheme = 'light' | 'dark';

export interface Opened {
  readonly page: Page;
  /** What the browser complained about: errors of the script, breaches of the policy. */
  readonly complaints: string[];
  /** URLs of requests, except the page itself and data: URLs. */
  readonly requests: string[];
}

export async function launchBrowser(): Promise<Browser> {
  if (executablePath === undefined) throw new Error('there is no browser');
  // A container has no user namespaces for Chromium's own sandbox; nothing but the page is opened here.
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

export async function openPage(
  browser: Browser,
  url: string,
  {
    width = 1280,
    scheme: colorScheme = 'light',
    javaScriptEnabled = true,
  }: {
    readonly width?: number | undefined;
    readonly scheme?: Scheme | undefined;
    readonly javaScriptEnabled?: boolean | undefined;
  } = {},
): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, javaScriptEnabled });
  const page = await context.newPage();
  const [complaints, requests]: string[][] = [[], []];
  page.on('pageerror', (error) => complaints?.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints?.push(message.text());
  });
  page.on('request', (request) => {
    if (request.url() !== url && !request.url().startsWith('data:')) requests?.push(request.url());
  });
  await page.goto(url);
  return { page, complaints: complaints ?? [], requests: requests ?? [] };
}

export function widthOf(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth');
}

/** Texts whose contrast with their background is below that of WCAG 2.2, 1.4.3 (4.5 to 1). */
export function contrasts(page: Page): Promise<unknown> {
  return page.evaluate(`(() => {
    const light = (color) => {
      const parts = color.match(/[\\d.]+/g).slice(0, 3).map((part) => {
        const value = part / 255;
        return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
    };
    const behind = (node) => {
      const color = getComputedStyle(node).backgroundColor;
      return color !== 'rgba(0, 0, 0, 0)' ? color : behind(node.parentElement);
    };
    const bad = [];
    for (const node of document.querySelectorAll('body *')) {
      const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim() !== '');
      if (!own || node.closest('svg')) continue;
      if (node.closest('script, style, noscript') || node.getClientRects().length === 0) continue;
      const [one, other] = [light(getComputedStyle(node).color), light(behind(node))].sort((a, b) => b - a);
      const ratio = (one + 0.05) / (other + 0.05);
      if (ratio < 4.5) bad.push([node.tagName, node.className, node.textContent.slice(0, 30), ratio]);
    }
    return bad;
  })()`);
}
