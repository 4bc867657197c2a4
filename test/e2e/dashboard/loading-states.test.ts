// @module-tag slow
import type { Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { nightlyEach } from '../../support/nightly-each.ts';
import { browserOfFile } from './dashboard-browser.ts';
import { SCREENS } from './dashboard-screens.ts';

const browser = browserOfFile();

/** A screen of which some answers never come. */
const openWaiting = (name: string, answers: RegExp): Promise<Page> => openWith(name, answers, () => {});

async function openWith(name: string, answers: RegExp, answer: (route: Route) => unknown): Promise<Page> {
  const path = SCREENS.find(([one]) => one === name)?.[1] ?? '';
  const { page } = await browser.open(path, { prepare: (opened) => opened.route(answers, answer) });
  return page;
}

describe('a screen whose data is loading', () => {
  it('selects no row of a list', async () => {
    const page = await openWaiting('connections', /\/api\/v1\/connections\?/);

    const box = page.getByRole('grid', { name: 'Connections' }).getByRole('checkbox').first();
    await box.waitFor();

    expect(await box.isChecked()).toBe(false);
  });

  it('says no number on a chart before it is known', async () => {
    const page = await openWaiting('overview', /\/api\/v1\/overview\/activity/);

    const chart = page.getByRole('region', { name: 'Runs by result' });
    await chart.getByRole('slider').waitFor();

    expect(await chart.textContent()).not.toMatch(/\d/);
    expect(await chart.getByRole('slider').getAttribute('aria-label')).not.toMatch(/\d/);
  });

  const screens = (
    [
      ['records', /\/models\?/],
      ['an operation', /\/api\/v1\/logs\/operations\/op-4/],
      ['settings', /\/api\/v1\/settings/],
    ] as const
  ).map((row) => [row[0], row] as const);
  nightlyEach(screens, 3)('shows an outline after a moment: %s', async ([name, answers]) => {
    const page = await openWaiting(name, answers);

    await page.getByRole('main').locator('.mantine-Skeleton-root').first().waitFor();
  });
});

describe('a page whose data cannot be read', () => {
  const screens = (
    [
      ['authorization of a connection', /\/api\/v1\/connections\//],
      ['a function', /\/api\/v1\/functions\//],
      ['settings of an integration', /\/api\/v1\/integrations\/hubspot/],
      ['provider catalogue', /\/api\/v1\/providers/],
    ] as const
  ).map((row) => [row[0], row] as const);
  nightlyEach(screens, 3)('keeps a heading: %s', async ([name, answers]) => {
    const body = JSON.stringify({ error: { code: 'server_error', message: 'The disk is full.' } });
    const page = await openWith(name, answers, (route) =>
      route.fulfill({ status: 400, contentType: 'application/json', body }),
    );

    await page.getByRole('alert').getByText('The disk is full.').waitFor();

    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
  });
});
