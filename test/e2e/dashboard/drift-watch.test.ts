// @module-tag slow
import { describe, expect, it } from 'vitest';
import { expectToFitWindow } from '../../support/fits-window.ts';
import { browserOfFile } from './dashboard-browser.ts';

const browser = browserOfFile();
const SETTINGS = '/app/dev/integrations/github/settings';

describe('the drift watch of an integration', () => {
  it('is off at first; a chosen connection switches it on, and a comparison names fields and functions', async () => {
    const { page, complaints } = await browser.open(SETTINGS);
    const section = page.getByRole('region', { name: 'Drift watch' });
    const connection = section.getByRole('combobox', { name: 'Connection' });
    expect(await connection.getAttribute('placeholder')).toBe('Off. Choose a connection');
    expect(await section.getByRole('button').count()).toBe(0);

    await connection.click();
    await page.getByRole('option').first().click();
    await page.getByText('Drift watch is on').waitFor();
    await section.getByText('The first comparison is made in the next ten minutes.').waitFor();

    await section.getByRole('button', { name: 'Compare now' }).click();
    await section.getByText('[].assignee.login', { exact: true }).waitFor();
    await section.getByText(/Read by fetch-issues, list-assignees/).waitFor();
    await section.getByText('1 recorded run left out').click();
    await section.getByText('Its recording has requests that write, or none.').waitFor();
    await page.setViewportSize({ width: 420, height: 900 });
    await expectToFitWindow(page);

    await section.getByRole('button', { name: 'Switch off' }).click();
    await page.getByText('Drift watch is off').waitFor();
    expect(complaints).toEqual([]);
  });
});
