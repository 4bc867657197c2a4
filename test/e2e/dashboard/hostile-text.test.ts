// @module-tag slow
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importConnection, importPracticeConnection } from '../../support/import-practice-connection.ts';
import { nightlyEach } from '../../support/nightly-each.ts';
import { actionSource, saveFunction } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import { HubBrowser } from './hub-browser.ts';

/** Marks the page if a browser treats it as more than text. */
const MARKUP = `<img src=x onerror="document.title='taken over'">[link](javascript:alert(1))`;
/** Ids may contain characters with a meaning in addresses or pages (ui.md 3). */
const ODD_ID = 'a/b c@d|"e"';

let browser: HubBrowser;
beforeAll(async () => {
  browser = await HubBrowser.start();
  await importPracticeConnection(browser.hub);
  const { status } = await importConnection(browser.hub, {
    provider_config_key: 'practice',
    connection_id: ODD_ID,
    metadata: { [MARKUP]: MARKUP },
    end_user: { id: 'stranger', display_name: MARKUP },
    tags: { origin: MARKUP.slice(0, 60) },
  });
  expect(status).toBe(201);
  await saveFunction(
    browser.hub.workspace,
    'practice/actions/tell.ts',
    actionSource(
      `await nango.log(${JSON.stringify(MARKUP)}, { level: 'error' }); throw new Error(${JSON.stringify(MARKUP)});`,
    ),
  );
  const call = () =>
    fetch(`${browser.hub.url}/action/trigger`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${browser.hub.secretKey}`,
        'content-type': 'application/json',
        'provider-config-key': 'practice',
        'connection-id': ODD_ID,
      },
      body: JSON.stringify({ action_name: 'tell', input: {} }),
    }).then((response) => response.text());
  await waitFor(async () => (await call()).includes('taken over'), { what: 'the failure of the action' });
});
afterAll(() => browser?.stop());

const ID = encodeURIComponent(ODD_ID);

describe('text of strangers', () => {
  const screens = [
    ['the list of connections', '/dev/connections'],
    ['a connection with its metadata', `/dev/connections/practice/${ID}`],
    ['the activity of a connection', `/dev/connections/practice/${ID}/activity`],
    ['the log', '/dev/logs'],
  ] as const;
  nightlyEach(screens, 2)('is shown as it is and runs nothing: %s', async (path) => {
    const { page, complaints } = await browser.open(path);
    await page.locator('h1').first().waitFor();
    await page.getByRole('main').getByText('tell').or(page.getByText('onerror')).first().waitFor();

    expect(await page.title()).not.toBe('taken over');
    expect(await page.locator('img[src="x"], a[href^="javascript:"]').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('is shown as it is in the panel of an operation, with its messages and raw', async () => {
    const { page, complaints } = await browser.open('/dev/logs?types=action');
    await page.getByRole('row').filter({ hasText: 'tell' }).first().click();
    const panel = page.getByRole('complementary').last();
    await panel.getByText('onerror').first().waitFor();
    await page.getByRole('tab', { name: 'Raw' }).click();
    await panel.getByText('onerror').first().waitFor();

    expect(await page.title()).not.toBe('taken over');
    expect(await page.locator('img[src="x"], a[href^="javascript:"]').count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
