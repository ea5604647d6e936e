/** The report in a real browser; skipped if none is installed. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reportPage } from '../../src/report/page.ts';
import {
  contrasts,
  hasBrowser,
  launchBrowser,
  NEEDS,
  openPage,
  pictures,
  type Scheme,
  widthOf,
} from '../support/browser.ts';
import { factsOf } from '../support/report-facts.ts';

describe.runIf(hasBrowser)(NEEDS, () => {
  let browser: Browser;
  let folder: string;
  let url: string;

  beforeAll(async () => {
    browser = await launchBrowser();
    folder = await mkdtemp(path.join(os.tmpdir(), 'signals-report-'));
    const file = path.join(folder, 'report.html');
    const facts = factsOf();
    const long = { place: `export-of-${'all-accounts-'.repeat(6)}2026.csv:12`, found: '"hot"' };
    const reasons = [{ rows: 1, what: 'hotness_score is not a number', examples: [long] }, ...facts.reasons];
    await writeFile(file, reportPage({ ...facts, reasons }));
    url = pathToFileURL(file).href;
    if (pictures !== undefined) await mkdir(pictures, { recursive: true });
  });
  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });

  test.each([
    [390, 'light'],
    [390, 'dark'],
    [1280, 'light'],
    [1280, 'dark'],
  ] as const)('fits a screen of %i pixels and can be read there (%s)', async (width, scheme: Scheme) => {
    const { page, complaints, requests } = await openPage(browser, url, { width, scheme });
    await page.evaluate(`document.querySelectorAll('details').forEach((one) => { one.open = true; })`);
    expect(await widthOf(page)).toBeLessThanOrEqual(width);
    expect(await contrasts(page)).toStrictEqual([]);
    expect(complaints).toStrictEqual([]);
    expect(requests).toStrictEqual([]);
    expect(await page.locator('img').count()).toBe(0);
    if (pictures !== undefined) {
      await page.screenshot({ path: path.join(pictures, `report-${width}-${scheme}.png`), fullPage: true });
    }
    await page.context().close();
  });

  test('is at most 2,000 pixels high, and cuts no text', async () => {
    const { page } = await openPage(browser, url);
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThanOrEqual(2000);
    await page.setViewportSize({ width: 390, height: 900 });
    expect(
      await page.evaluate(`[...document.querySelectorAll('section, table')]
        .filter((node) => node.scrollWidth > node.clientWidth + 1).length`),
    ).toBe(0);
    await page.context().close();
  });

  test('every fold is reached with the Tab key, and the focus can be seen', async () => {
    const { page } = await openPage(browser, url, { width: 390 });
    const all = Number(await page.evaluate(`document.querySelectorAll('main summary').length`));
    const seen = new Set<unknown>();
    for (let n = 0; n < all + 20; n += 1) {
      await page.keyboard.press('Tab');
      const at = await page.evaluate(`(() => {
        const node = document.activeElement;
        if (node === document.body) return [];
        return [[...document.querySelectorAll('*')].indexOf(node), getComputedStyle(node).outlineStyle];
      })()`);
      const [index, outline] = Array.isArray(at) ? at : [];
      // After the last element, the focus leaves the page.
      if (index === undefined || seen.has(index)) break;
      seen.add(index);
      expect(outline).not.toBe('none');
    }
    const visible = Number(
      await page.evaluate(`[...document.querySelectorAll('main summary')]
        .filter((node) => node.checkVisibility()).length`),
    );
    expect(seen.size).toBeGreaterThanOrEqual(visible);
    await page.context().close();
  });

  test('on paper it is light, whatever the screen is', async () => {
    const { page } = await openPage(browser, url, { scheme: 'dark' });
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
    expect(await contrasts(page)).toStrictEqual([]);
    await page.context().close();
  });

  test('one click selects a command', async () => {
    const { page } = await openPage(browser, url);
    await page.locator('.command code').first().click();
    expect(await page.evaluate('String(getSelection())')).toContain('signals resume');
    await page.context().close();
  });
});
