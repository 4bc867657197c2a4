import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DashboardBrowser, startDashboardBrowser } from './dashboard-browser.ts';
import { screenAddress } from './dashboard-screens.ts';

let browser: DashboardBrowser;
beforeAll(async () => {
  browser = await startDashboardBrowser();
});
afterAll(() => browser.stop());

describe('a phone', () => {
  it('wraps a long text below a heading, so that the button beside it can be reached', async () => {
    const { page, fixture } = await browser.open('/app/dev/playground', { width: 390 });
    const detail = fixture.state.connections[0]?.detail;
    if (detail) detail.email = `${'donaudampfschifffahrt'.repeat(4)}@example.test`;
    await page.goto(screenAddress(fixture, '/app/dev/connections/:connection'));

    const button = page.getByRole('button', { name: 'Copy e-mail' });
    await button.waitFor();

    const { x = 0, width = 0 } = (await button.boundingBox()) ?? {};
    expect(x + width).toBeLessThanOrEqual(390);
  });

  it('shows the buttons of the checklist whole', async () => {
    const { page, fixture } = await browser.open('/app/dev/getting-started?step=choose', { width: 320 });
    await page.getByRole('heading', { level: 1, name: 'How do you want to start?' }).waitFor();
    await page.goto(screenAddress(fixture, '/app/dev'));

    const label = page.getByRole('region', { name: 'Getting started' }).getByText('Continue', { exact: true });
    await label.waitFor();

    expect(await label.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
  });
});
