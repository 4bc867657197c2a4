// @module-tag slow
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { listSettings } from '../../../renderer/lib/settings-index.ts';
import { expectToFitWindow } from '../../support/fits-window.ts';
import { browserOfFile } from './dashboard-browser.ts';

const browser = browserOfFile();

const field = (page: Page) => page.getByRole('combobox', { name: 'Search the settings' });
const chosen = (page: Page) => page.getByRole('option', { selected: true });
const marked = (page: Page) => page.locator('[data-found]');

/** The labels of a page of settings: what a person reads beside a control or a value. */
const labelsOf = (page: Page): Promise<string[]> =>
  page
    .locator('#content')
    .locator('h2, label, legend, dt, [role=group][aria-label], [role=radiogroup]')
    .evaluateAll((all) =>
      all.map((one) => {
        const named = document.getElementById(one.getAttribute('aria-labelledby') ?? '');
        return named?.textContent ?? one.getAttribute('aria-label') ?? one.textContent ?? '';
      }),
    );

describe('search in the settings', () => {
  it('finds a setting by a synonym, leads to it, marks it and gives it the focus', async () => {
    const { page, complaints } = await browser.open('/app/dev/environment-settings');
    await page.getByRole('heading', { level: 2, name: 'Telemetry' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('rate limit');
    await expect.poll(() => chosen(page).textContent()).toContain('Most API calls per minute');
    await page.keyboard.press('Enter');

    await expect.poll(() => marked(page).count()).toBe(1);
    expect(await marked(page).textContent()).toContain('Most API calls per minute');
    const focused = () => page.evaluate(() => document.activeElement?.closest('[data-found]') !== null);
    await expect.poll(focused).toBe(true);
    const box = await marked(page).boundingBox();
    expect(box?.y).toBeGreaterThan(48);
    expect(box?.y).toBeLessThan(760);
    expect(await field(page).inputValue()).toBe('');

    // A setting of this computer is on another page.
    await field(page).fill('dark mode');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/settings/appearance?setting=Theme');
    await expect.poll(() => marked(page).allTextContents()).toEqual([expect.stringContaining('Dark')]);
    expect(complaints).toEqual([]);
  });

  it('moves by arrows, clears by Esc, says that nothing fits, and keeps what was typed in a form', async () => {
    const { page } = await browser.open('/app/dev/environment-settings');
    await page.getByLabel('Address of the tunnel').fill('https://tunnel.example');
    await field(page).fill('webhook');
    const first = await chosen(page).textContent();
    await page.keyboard.press('ArrowDown');
    expect(await chosen(page).textContent()).not.toBe(first);
    await page.keyboard.press('ArrowUp');
    expect(await chosen(page).textContent()).toBe(first);
    await field(page).fill('quantum flux');
    await page.getByText('No setting matches “quantum flux”.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Retention' }).waitFor();

    await field(page).fill('signing key');
    await page.keyboard.press('Enter');
    await expect.poll(() => marked(page).count()).toBe(2);
    expect(await page.getByLabel('Address of the tunnel').inputValue()).toBe('https://tunnel.example');
  });

  it('is reached from the palette', async () => {
    const { page } = await browser.open('/app/dev/connections');
    await page.getByText('Cobalt Cycles').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('font size');
    await expect.poll(() => chosen(page).textContent()).toContain('Settings: Text size');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/settings/appearance?setting=Text%20size');
    await expect.poll(() => marked(page).count()).toBe(1);
  });

  it('lists only labels that the pages show', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open('/app/dev/environment-settings');
    const bySection = Map.groupBy(
      listSettings('dev', false).filter(({ to }) => to.includes('setting=')),
      ({ to }) => to.split('?')[0] ?? '',
    );
    expect(bySection.size).toBe(10);
    for (const [path, settings] of bySection) {
      await page.goto(page.url().replace(/\/app\/.*/, `/app${path}`));
      const isShown = (labels: string[], label: string): boolean => labels.some((one) => one.startsWith(label));
      const missing = async () => {
        const labels = await labelsOf(page);
        return settings.map(({ label }) => label).filter((label) => !isShown(labels, label));
      };
      await expect.poll(missing, { message: path }).toEqual([]);
    }
  });

  it('fits 420 pixels', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open('/app/dev/environment-settings', { width: 420 });
    await field(page).fill('webhook');
    await chosen(page).waitFor();
    await expectToFitWindow(page);
  });
});
