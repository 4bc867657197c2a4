// @module-tag slow
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { browserOfFile } from './dashboard-browser.ts';

const browser = browserOfFile();

const row = (page: Page) => page.getByRole('row').filter({ hasText: 'Cobalt Cycles' }).first();
const newTag = (page: Page) => page.getByRole('combobox', { name: 'New tag of Cobalt Cycles' });
const change = (page: Page) => page.waitForRequest((request) => request.method() === 'PATCH');

describe('tags of a connection', () => {
  it('are added and removed in the row by keyboard, by difference', async () => {
    const { page, complaints } = await browser.open('/app/dev/connections');
    await page.getByText('Cobalt Cycles').first().waitFor();
    // The first row has the keyboard focus. The column of the tags is hidden at first.
    await page.keyboard.press('t');
    await newTag(page).waitFor();
    await page.keyboard.type('owner: ann');
    const added = change(page);
    await page.keyboard.press('Enter');
    expect((await added).postDataJSON()).toEqual({ tagChange: { set: { owner: 'ann' } } });
    await row(page).getByText('owner: ann').waitFor();
    expect(new URL(page.url()).pathname).toBe('/app/dev/connections');

    const remove = row(page).getByRole('button', { name: 'Remove tag owner: ann from Cobalt Cycles' });
    const removed = change(page);
    await remove.focus();
    await page.keyboard.press('Enter');
    expect((await removed).postDataJSON()).toEqual({ tagChange: { remove: ['owner'] } });
    await row(page).getByText('owner: ann').waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY');
    expect(complaints).toEqual([]);
  });

  it('keep what was typed when it is no tag or the hub refuses it, and close by Esc', {
    tags: ['nightly'],
  }, async () => {
    const { page, fixture } = await browser.open('/app/dev/connections');
    await page.getByText('Cobalt Cycles').first().waitFor();
    await page.keyboard.press('t');
    await newTag(page).waitFor();
    await page.keyboard.type('owner');
    await page.keyboard.press('Enter');
    await page.getByText('Write a name, a colon and a value, for example plan: pro.').waitFor();
    expect(await newTag(page).inputValue()).toBe('owner');
    const [first] = fixture.state.connections;
    for (let index = 0; index < 10; index += 1) if (first) first.detail.tags[`t${index}`] = 'x';
    await page.keyboard.type(': ann');
    await page.keyboard.press('Enter');
    await page.getByText(/at most 10 tags/).waitFor();
    expect(await newTag(page).inputValue()).toBe('owner: ann');
    await page.keyboard.press('Escape');
    await newTag(page).waitFor({ state: 'detached' });
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
      .toBe('Add a tag to Cobalt Cycles');
  });

  it('are added one after the other on the page, without a dialog', async () => {
    const { page } = await browser.open('/app/dev/connections/:connection');
    const section = page
      .getByRole('main')
      .locator('section')
      .filter({ has: page.getByRole('heading', { name: 'Tags' }) });
    await section.getByRole('button', { name: 'Add a tag to Cobalt Cycles' }).click();
    // The hub's answer to the first comes after the second was typed.
    const answer = Promise.withResolvers<void>();
    await page.route('**/api/v1/connections/**', async (route) => {
      if (route.request().method() === 'PATCH') await answer.promise;
      await route.continue();
    });
    await page.keyboard.type('one=1');
    await page.keyboard.press('Enter');
    await page.keyboard.type('two: 2');
    answer.resolve();
    await section.getByText('one: 1').waitFor();
    await page.keyboard.press('Enter');
    await section.getByText('two: 2').waitFor();
    await page.keyboard.press('Escape');
    await section.getByRole('button', { name: 'Remove tag one: 1 from Cobalt Cycles' }).click();
    await section.getByText('one: 1').waitFor({ state: 'detached' });
    await section.getByText('two: 2').waitFor();
  });

  it('are suggested while one is typed: names, then values of the name', async () => {
    const { page } = await browser.open('/app/dev/connections', {
      arrange: ({ connections }) => {
        for (const [index, { detail }] of connections.entries())
          if (index > 0) Object.assign(detail.tags, { plan: index % 2 ? 'pro' : 'free', region: 'eu' });
      },
    });
    await page.getByText('Cobalt Cycles').first().waitFor();
    await page.keyboard.press('t');
    await newTag(page).waitFor();
    await page.getByRole('option', { name: 'region:', exact: true }).waitFor();

    await page.keyboard.type('pl');
    await page.getByRole('option', { name: 'region:', exact: true }).waitFor({ state: 'detached' });
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await newTag(page).inputValue()).toBe('plan: ');

    await page.keyboard.type('f');
    await expect.poll(() => page.getByRole('option').allTextContents()).toEqual(['plan: free']);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await newTag(page).inputValue()).toBe('plan: free');
    const added = change(page);
    await page.keyboard.press('Enter');
    expect((await added).postDataJSON()).toEqual({ tagChange: { set: { plan: 'free' } } });
    await row(page).getByText('plan: free').waitFor();
  });

  it('are changed on the page of an integration too', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open('/app/dev/integrations/hubspot/connections');
    await page.getByText('Cobalt Cycles').first().waitFor();
    await page.keyboard.press('t');
    await newTag(page).waitFor();
    await page.keyboard.type('owner: ann');
    await page.keyboard.press('Enter');
    await row(page).getByText('owner: ann').waitFor();
  });
});
