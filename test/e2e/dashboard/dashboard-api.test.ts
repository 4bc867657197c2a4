// @module-tag slow
import { describe, expect, it } from 'vitest';
import { browserOfFile } from './dashboard-browser.ts';

const browser = browserOfFile();

describe('the API reference', () => {
  it('lists every route by group and opens one with its command and codes', async () => {
    const { page, complaints } = await browser.open('/app/dev/connections');
    await page.getByRole('link', { name: 'API', exact: true }).click();

    const group = page.getByRole('region', { name: 'Connections' });
    await group.getByText('Import a connection', { exact: true }).click();

    await group.getByText('"Authorization: Bearer $HOMEPORT_SECRET_KEY"').waitFor();
    await group.getByText('connection_test_failed').waitFor();
    await group.getByRole('rowheader', { name: 'credentials' }).waitFor();
    expect(await page.getByRole('heading', { level: 2 }).allInnerTexts()).toContain('Records');
    expect(complaints).toEqual([]);
  });

  it('leads to a group, and says what a route does right after its address', async () => {
    const { page } = await browser.open('/app/dev/api');
    const group = page.getByRole('region', { name: 'Records' });
    await page.getByRole('navigation', { name: 'Sections' }).getByRole('button', { name: 'Records' }).click();

    await expect.poll(async () => (await group.boundingBox())?.y).toBeLessThan(400);
    const lines = page.locator('summary');
    const starts = await lines.evaluateAll((all) =>
      all.map((line) => Math.round(line.children[2]?.getBoundingClientRect().left ?? 0)),
    );
    expect(new Set(starts).size).toBe(1);
  });

  it('narrows the list to what the search says, and keeps that in the address', async () => {
    const { page } = await browser.open('/app/dev/api');
    await page.getByText('/connections/metadata').first().waitFor();
    await page.getByRole('searchbox').or(page.getByLabel('Search routes')).first().fill('prune');

    await page.getByText('/connections/metadata').first().waitFor({ state: 'detached' });
    expect(await page.locator('summary code').allInnerTexts()).toEqual(['/records/prune']);
    await page.waitForURL('**/api?search=prune');
  });
});
