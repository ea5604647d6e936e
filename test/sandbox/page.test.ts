/** The page at `/`, in a real browser; skipped if none is installed. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/index.ts';
import {
  contrasts,
  hasBrowser,
  launchBrowser,
  NEEDS,
  type Opened,
  openPage,
  pictures,
  type Scheme,
  widthOf,
} from '../support/browser.ts';
import { event, ingest, opened, SIGNALS, SOCIAL, signal } from '../support/open-sandbox.ts';
import { call, post } from '../support/sandbox-client.ts';

const { start } = opened();

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
  await post(sandbox.url + SIGNALS, 'a wrong key', { signals: [signal(1)] });
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

describe.runIf(hasBrowser)(NEEDS, () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await launchBrowser();
    if (pictures !== undefined) mkdirSync(pictures, { recursive: true });
  });
  afterAll(() => browser?.close());

  async function openSandbox(sandbox: Sandbox, options: Parameters<typeof openPage>[2] = {}): Promise<Opened> {
    const opened = await openPage(browser, `${sandbox.url}/`, options);
    await opened.page.getByText('Live').waitFor();
    return opened;
  }

  const number = (page: Page, id: string): Promise<string | null> => page.locator(`#n-${id}`).textContent();

  test('shows how to upload while nothing has arrived, and then what arrives without a reload', async () => {
    const sandbox = await start();
    const { page, complaints } = await openSandbox(sandbox);
    expect(await page.getByRole('heading', { name: 'Nothing has arrived yet' }).isVisible()).toBe(true);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain(`--base-url ${sandbox.url} FILE`);
    await ingest(sandbox, [signal(1), signal(1), {}]);
    await page.getByRole('heading', { name: 'Last batches' }).waitFor();
    expect(await page.locator('#empty').isVisible()).toBe(false);
    const numbers = ['batches', 'accepted', 'deduplicated', 'rejected'].map((id) => number(page, id));
    expect(await Promise.all(numbers)).toStrictEqual(['1', '1', '1', '1']);
    await sandbox.close();
    await page.getByText('The sandbox does not answer').waitFor();
    expect(await number(page, 'accepted')).toBe('1');
    expect(complaints.filter((text) => !text.includes('ERR_CONNECTION_REFUSED'))).toStrictEqual([]);
    await page.context().close();
  });

  test('shows failures first, and batches and records that open, with markup of clients escaped', async () => {
    const sandbox = await filled();
    const { page, complaints } = await openSandbox(sandbox);
    expect(await page.locator('#main h2').first().textContent()).toBe('Failed requests: 1');
    await page.locator('#failures summary').click();
    expect(await page.locator('#failures').textContent()).toContain('HTTP 401');

    // The records of a batch: those that were not accepted come first.
    const batch = page.locator('#batches > details').last();
    await batch.locator('summary').first().click();
    await batch.locator('details').first().waitFor();
    expect(await batch.locator('details').count()).toBe(42);
    expect(await batch.locator('details summary').first().textContent()).toContain('rejected');
    await batch.locator('details summary').first().click();
    expect(await batch.locator('pre').textContent()).toBe('{}');

    expect(await page.locator('#records > details').count()).toBe(10);
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.locator('#records > details').nth(40).waitFor();
    await page.getByLabel('Text').fill('onerror');
    await expect.poll(() => page.locator('#records > details').count()).toBe(1);
    expect(await page.locator('#records').textContent()).toContain('<img src=x onerror=alert(1)>');
    expect(await page.locator('img').count()).toBe(0);

    expect(await page.locator('#families tr').first().textContent()).toMatch(
      /^(?:expansion|funding|hiring|acquisition)\d+$/,
    );
    expect(await page.locator('#accounts tr').count()).toBeGreaterThanOrEqual(3);
    expect(await page.locator('#promotions tr').count()).toBe(2);
    expect(complaints).toStrictEqual([]);
    await page.context().close();
  });

  test('filters records, and says when none match', async () => {
    const sandbox = await filled();
    const { page } = await openSandbox(sandbox);
    await page.getByLabel('Result').selectOption('rejected');
    await expect.poll(() => page.locator('#records > details').count()).toBe(6);
    await page.getByLabel('Type').selectOption('social');
    await page.getByText('No records match.').waitFor();
    expect(await page.locator('#records > details').count()).toBe(0);
    await page.context().close();
  });

  test('what is open stays open when more arrives', async () => {
    const sandbox = await filled();
    const { page } = await openSandbox(sandbox);
    await page.locator('#batches > details > summary').first().click();
    await page.locator('#batches details details').first().waitFor();
    await ingest(sandbox, [signal(900)]);
    await expect.poll(() => page.locator('#batches > details').count()).toBe(5);
    expect(await page.locator('#batches > details[open]').count()).toBe(1);
    await page.context().close();
  });

  test('draws the requests over time, with the same figures as a table', async () => {
    const sandbox = await filled();
    const { page } = await openSandbox(sandbox);
    expect(await page.locator('#step').textContent()).toMatch(/^Requests per 1 s\. Times: \S+\.$/);
    expect(await page.locator('#plot .failed').count()).toBe(1);
    const cells = await page.locator('#steps tr').allTextContents();
    const total = cells
      .map((text) => text.slice(8))
      .reduce((sum, [done, failed]) => sum + Number(done) + Number(failed), 0);
    expect(total).toBe(5);
    await page.context().close();
  });

  test('deletes everything after a confirmation', async () => {
    const sandbox = await filled();
    const { page } = await openSandbox(sandbox, { width: 360 });
    page.once('dialog', (dialog) => dialog.dismiss());
    await page.getByRole('button', { name: 'Delete everything' }).click();
    expect(sandbox.requests()).toHaveLength(5);
    page.once('dialog', (dialog) => dialog.accept());
    await page.getByRole('button', { name: 'Delete everything' }).click();
    await page.getByRole('heading', { name: 'Nothing has arrived yet' }).waitFor();
    expect(sandbox.requests()).toHaveLength(0);
    await page.context().close();
  });

  test.each([
    [390, 'light'],
    [390, 'dark'],
    [1280, 'light'],
    [1280, 'dark'],
  ] as const)('fits a screen of %i pixels and can be read there (%s)', async (width, scheme: Scheme) => {
    const [empty, full] = [await start(), await filled()];
    for (const [state, sandbox] of [
      ['empty', empty],
      ['full', full],
    ] as const) {
      const { page } = await openSandbox(sandbox, { width, scheme });
      if (pictures !== undefined) {
        await page.screenshot({ path: path.join(pictures, `sandbox-${state}-${width}-${scheme}.png`), fullPage: true });
      }
      await page.evaluate(`document.querySelectorAll('details').forEach((one) => { one.open = true; })`);
      await page.waitForTimeout(100);
      expect(await widthOf(page)).toBeLessThanOrEqual(width);
      expect(await contrasts(page)).toStrictEqual([]);
      await page.context().close();
    }
  });

  test('fits on a few screens of a phone', async () => {
    const { page } = await openSandbox(await filled(), { width: 390 });
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThan(3000);
    await page.context().close();
  });
});
