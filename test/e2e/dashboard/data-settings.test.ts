import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HubBrowser } from './hub-browser.ts';

let browser: HubBrowser;
beforeAll(async () => {
  browser = await HubBrowser.start();
});
afterAll(() => browser?.stop());

const PATH = '/dev/environment-settings#data';

describe('the data settings', () => {
  it('make a backup, name the command that restores it and read it from end to end', async () => {
    const { page, complaints } = await browser.open(PATH);
    await page.getByText('None yet. The first one is made ten minutes after a start.').waitFor();

    await page.getByRole('button', { name: 'Back up now' }).click();
    await page.getByText('Backup made').waitFor();
    const backups = page.getByRole('list', { name: 'Backups' });
    const [name = ''] = await readdir(join(browser.hub.home, 'backups'));
    await backups.getByText(`homeport.mjs restore "${join(browser.hub.home, 'backups', name)}"`).waitFor();
    await backups.getByRole('button', { name: /^Verify the backup/ }).click();
    await backups.getByText('Sound').waitFor();

    expect(complaints).toEqual([]);
  });

  it('show what the folder takes and where the key is', async () => {
    const { page } = await browser.open(PATH);

    await page.getByText(/records .*, logs .*, webhooks .*, free /).waitFor();
    await page.getByRole('button', { name: 'Verify the database' }).click();
    await page.getByText('Sound').waitFor();
    await page.getByText(/^Stop the hub to replace it: node .*homeport\.mjs key rotate\.$/).waitFor();

    expect(await page.getByText('From HOMEPORT_MASTER_KEY').count()).toBe(1);
  });
});
