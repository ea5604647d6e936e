/** The page at `/`, in a real browser; skipped if none is installed. */
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { event, ingest, opened, SOCIAL, signal } from '../support/open-sandbox.ts';
import { call } from '../support/sandbox-client.ts';

const { start } = opened();

const executablePath = [process.env['SIGNALS_CHROMIUM'] ?? '', '/usr/bin/chromium'].find((name) => existsSync(name));
/** Where to put pictures of the page for people to look at. */
const pictures = process.env['SIGNALS_PICTURES'];

const phone = { width: 360, height: 740 };
const desktop = { width: 1280, height: 900 };

async function filled(): Promise<Sandbox> {
  const sandbox = await start();
  const domains = ['quillon.example', 'solaraenergi.example', 'zephyrdrones.example'];
  for (let batch = 0; batch < 3; batch++) {
    const titles = ['Raised $24M Series B', 'Hiring 14 sales roles', 'Opened an office in Bogotá', 'Acquired a rival'];
    const signals = Array.from({ length: 40 }, (_, n) => ({
      ...signal(batch * 30 + n),
      company_domain: domains[n % 5],
      signal_name: titles[n % 4],
    }));
    await ingest(sandbox, [...signals, {}, { company_name: 'Nothing more' }]);
  }
  await ingest(
    sandbox,
    [
      { ...event, engager_name: 'Ana Duarte', engager_company: 'Quillon', company_domain: 'quillon.example' },
      { ...event, engagement_type: 'like', engager_profile_url: 'https://x.com/ana' },
      { ...event, engager_name: '<img src=x onerror=alert(1)>', engager_company: 'x'.repeat(300) },
    ],
    SOCIAL,
  );
  return sandbox;
}

test('is at the root, allows only its own script, and is not logged', async () => {
  const sandbox = await start();
  const reply = await call(`${sandbox.url}/`);
  expect(reply.status).toBe(200);
  expect(reply.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(reply.headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-/);
  expect(reply.text).not.toMatch(/https?:\/\//);
  expect(sandbox.requests()).toStrictEqual([]);
  expect((await call(`${sandbox.url}/`, { headers: { host: 'records.example' } })).status).toBe(403);
  const head = await call(`${sandbox.url}/`, { method: 'HEAD' });
  expect([head.status, head.text]).toStrictEqual([200, '']);
});

describe.runIf(executablePath !== undefined)('in a browser (needs Chromium, or one named by SIGNALS_CHROMIUM)', () => {
  let browser: Browser;

  beforeAll(async () => {
    if (executablePath === undefined) throw new Error('there is no browser');
    // A container has no user namespaces for Chromium's own sandbox; nothing but the page is opened here.
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    if (pictures !== undefined) mkdirSync(pictures, { recursive: true });
  });
  afterAll(() => browser?.close());

  interface Opened {
    readonly page: Page;
    /** What the browser complained about: errors of the script, breaches of the policy. */
    readonly complaints: string[];
  }

  async function openPage(
    sandbox: Sandbox,
    viewport: Page['viewportSize'] extends () => infer V ? V : never,
    colorScheme: 'light' | 'dark' = 'light',
  ): Promise<Opened> {
    const context = await browser.newContext({ viewport, colorScheme });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    await page.goto(`${sandbox.url}/`);
    await page.getByText('Live').waitFor();
    return { page, complaints };
  }

  const number = (page: Page, id: string): Promise<string | null> => page.locator(`#n-${id}`).textContent();

  test('shows how to upload while nothing has arrived, and then what arrives without a reload', async () => {
    const sandbox = await start();
    const { page, complaints } = await openPage(sandbox, desktop);
    expect(await page.getByRole('heading', { name: 'Nothing has arrived yet' }).isVisible()).toBe(true);
    expect(await page.locator('#empty code').textContent()).toContain(`--base-url ${sandbox.url} FILE`);
    await ingest(sandbox, [signal(1), signal(1), {}]);
    await page.getByRole('heading', { name: 'Last records' }).waitFor();
    expect(await page.locator('#empty').isVisible()).toBe(false);
    const numbers = ['batches', 'accepted', 'deduplicated', 'rejected'].map((id) => number(page, id));
    expect(await Promise.all(numbers)).toStrictEqual(['1', '1', '1', '1']);
    await sandbox.close();
    await page.getByText('The sandbox does not answer').waitFor();
    expect(await number(page, 'accepted')).toBe('1');
    expect(complaints.filter((text) => !text.includes('ERR_CONNECTION_REFUSED'))).toStrictEqual([]);
    await page.context().close();
  });

  test('shows families, accounts, promotions and the last records, with markup of clients escaped', async () => {
    const sandbox = await filled();
    const { page, complaints } = await openPage(sandbox, desktop);
    expect(await page.locator('#families tr').first().textContent()).toMatch(
      /^(?:expansion|funding|hiring|acquisition)\d+$/,
    );
    expect(await page.locator('#accounts tr').count()).toBeGreaterThanOrEqual(3);
    expect(await page.locator('#promotions tr').count()).toBe(2);
    expect(await page.locator('#last tr').count()).toBe(25);
    expect(await page.locator('#last').textContent()).toContain('<img src=x onerror=alert(1)>');
    expect(await page.locator('img').count()).toBe(0);
    expect(complaints).toStrictEqual([]);
    await page.context().close();
  });

  test('deletes everything after a confirmation', async () => {
    const sandbox = await filled();
    const { page } = await openPage(sandbox, phone);
    page.once('dialog', (dialog) => dialog.dismiss());
    await page.getByRole('button', { name: 'Delete everything' }).click();
    expect(sandbox.requests()).toHaveLength(4);
    page.once('dialog', (dialog) => dialog.accept());
    await page.getByRole('button', { name: 'Delete everything' }).click();
    await page.getByRole('heading', { name: 'Nothing has arrived yet' }).waitFor();
    expect(sandbox.requests()).toHaveLength(0);
    await page.context().close();
  });

  test.each([
    ['phone', phone, 'light'],
    ['phone', phone, 'dark'],
    ['desktop', desktop, 'light'],
    ['desktop', desktop, 'dark'],
  ] as const)('fits a %s (%o, %s) and can be read there', async (name, viewport, scheme) => {
    const [empty, full] = [await start(), await filled()];
    for (const [state, sandbox] of [
      ['empty', empty],
      ['full', full],
    ] as const) {
      const { page } = await openPage(sandbox, viewport, scheme);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(viewport.width);
      expect(await contrasts(page)).toStrictEqual([]);
      if (pictures !== undefined) {
        await page.screenshot({
          path: path.join(pictures, `${state}-${name}-${scheme}.png`),
          fullPage: true,
        });
      }
      await page.context().close();
    }
  });

  /** Texts whose contrast with their background is below that of WCAG 2.2, 1.4.3 (4.5 to 1). */
  function contrasts(page: Page): Promise<unknown> {
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
        if (!own || node.closest('script, style, noscript') || node.getClientRects().length === 0) continue;
        const [one, other] = [light(getComputedStyle(node).color), light(behind(node))].sort((a, b) => b - a);
        const ratio = (one + 0.05) / (other + 0.05);
        if (ratio < 4.5) bad.push([node.tagName, node.className, node.textContent.slice(0, 30), ratio]);
      }
      return bad;
    })()`);
  }
});
