// @module-tag slow
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { browserOfFile } from './dashboard-browser.ts';

const browser = browserOfFile();
let page: Page;
let url: string;
beforeAll(async () => {
  const opened = await browser.open('/app/settings/appearance');
  page = opened.page;
  url = opened.fixture.url;
  await page.emulateMedia({ forcedColors: 'active' });
});

const fillOf = (part: Locator, of = ''): Promise<string> =>
  part.first().evaluate((element, name) => getComputedStyle(element, name || null).backgroundColor, of);
/** The system's colours for a selection. */
const highlight = (): Promise<string> =>
  page.evaluate(() => {
    const probe = document.body.appendChild(document.createElement('i'));
    probe.style.background = 'Highlight';
    const { backgroundColor } = getComputedStyle(probe);
    probe.remove();
    return backgroundColor;
  });

describe('the dashboard in forced colours', () => {
  it('shows the page that is open, the part that is chosen and the switch that is on', async () => {
    const chosen = await highlight();
    const nav = page.getByRole('navigation', { name: 'Screens' });
    await nav.waitFor();
    expect(await fillOf(nav.getByRole('link', { name: 'Settings' }))).toBe(chosen);
    expect(await fillOf(nav.getByRole('link', { name: 'Logs' }))).not.toBe(chosen);

    expect(await fillOf(page.locator('.mantine-SegmentedControl-indicator'))).toBe(chosen);
    expect(await fillOf(page.locator('.mantine-SegmentedControl-root'))).not.toBe(chosen);

    const track = page.locator('.mantine-Switch-track').last();
    expect(await fillOf(track)).not.toBe(chosen);
    await track.click();
    await expect.poll(() => fillOf(track)).toBe(chosen);
  });

  it('shows checked boxes', async () => {
    await page.goto(`${url}/app/dev/export`);
    const box = page.getByRole('checkbox', { name: 'Functions' });

    expect(await fillOf(box)).toBe(await highlight());
    await box.uncheck();
    await expect.poll(() => fillOf(box)).not.toBe(await highlight());
  });

  it('shows how large something is beside others', async () => {
    await page.goto(`${url}/app/settings/data`);
    const bar = page.getByRole('table', { name: 'Size by table' }).locator('td span').first();
    await bar.waitFor({ state: 'attached' });

    expect(await fillOf(bar)).toBe(await highlight());
  });

  it('shows the button of a viewer that is on, and the words of the template that is open', async () => {
    const wordsOf = (part: Locator): Promise<string> =>
      part.first().evaluate((element) => getComputedStyle(element).color);
    await page.goto(`${url}/app/dev/integrations/hubspot/templates`);
    const open = page.locator('button[aria-current]');
    await open.waitFor();
    const words = await wordsOf(open);
    for (const part of await open.locator('*').all()) expect(await wordsOf(part)).toBe(words);

    await page.goto(`${url}/app/dev/logs?operationId=op-0&tab=raw`);
    const wrap = page.getByRole('button', { name: /^Wrap long lines/, pressed: true });
    await wrap.waitFor();
    expect(await fillOf(wrap)).toBe(await highlight());
  });

  it('keeps the dot that says whether the hub answers', async () => {
    const dot = page.getByRole('contentinfo').locator('i').first();
    const empty = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);

    expect(await fillOf(dot)).not.toBe(empty);
  });

  it('keeps the colours that tell environments apart', async () => {
    await page.goto(`${url}/app/dev/environment-settings`);
    const colours = page.getByRole('group', { name: 'Colour of the bar at the top of the window' }).getByRole('button');
    await colours.first().waitFor();

    const fills = await colours.evaluateAll((all) => all.map((one) => getComputedStyle(one).backgroundColor));
    expect(new Set(fills).size).toBe(fills.length);
  });
});
