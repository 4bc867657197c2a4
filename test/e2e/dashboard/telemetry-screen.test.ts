// @module-tag slow
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CollectorStandIn } from '../../support/collector-stand-in.ts';
import { expectToFitWindow } from '../../support/fits-window.ts';
import { importPracticeConnection } from '../../support/import-practice-connection.ts';
import { HubBrowser } from './hub-browser.ts';

const SECRET = 'canary-of-the-collector';

interface Stored {
  otlp_endpoint: string | null;
  otlp_headers: Array<{ name: string; value: string }>;
}

let browser: HubBrowser;
let collector: CollectorStandIn;
beforeAll(async () => {
  [browser, collector] = await Promise.all([HubBrowser.start(), CollectorStandIn.start()]);
});
afterAll(async () => {
  await browser?.stop();
  await collector?.stop();
});

async function stored(): Promise<Stored> {
  const { data } = await browser.api<{ data: Stored }>('GET', '/environment/settings');
  return { otlp_endpoint: data.otlp_endpoint, otlp_headers: data.otlp_headers };
}

describe('the telemetry of an environment', () => {
  it('is set, tried, hidden and switched off', async () => {
    const { page, complaints } = await browser.open('/dev/environment-settings#telemetry');
    const form = page.getByRole('form', { name: 'Telemetry' });
    const status = form.getByRole('status');
    const save = form.getByRole('button', { name: 'Save', exact: true });
    await form.getByLabel('Endpoint').fill(`${collector.endpoint}/v1/traces`);
    expect(await form.getByRole('button', { name: 'Send a test span' }).count()).toBe(0);
    await page.keyboard.press('Enter');
    await form.getByText('Leave out /v1/traces at the end.').waitFor();

    await form.getByLabel('Endpoint').fill(collector.endpoint);
    await form.getByRole('button', { name: 'Add header' }).click();
    await page.keyboard.type('content-type');
    await page.keyboard.press('Tab');
    await page.keyboard.type(SECRET);
    await save.click();
    await form.getByText('Homeport sets this header itself.').waitFor();
    await form.getByLabel('Header 1, name').fill('x-api-key');
    await save.click();
    await page.getByText('Telemetry saved').waitFor();
    expect(await stored()).toEqual({
      otlp_endpoint: collector.endpoint,
      otlp_headers: [{ name: 'x-api-key', value: SECRET }],
    });

    await form.getByText('None since Homeport started').waitFor();
    await form.getByRole('button', { name: 'Send a test span' }).click();
    await status.getByText(/^Answered 200 after/).waitFor();
    const [span] = collector.spans;
    await status.getByText(span?.traceId ?? 'no span').waitFor();
    expect(collector.requests[0]?.headers['x-api-key']).toBe(SECRET);

    collector.respond({ status: 401, body: { message: 'unknown key' } });
    await form.getByRole('button', { name: 'Send a test span' }).click();
    await status.getByText('The collector answered 401 Unauthorized: unknown key.').waitFor();

    expect(await page.content()).not.toContain(SECRET);
    await form.getByRole('button', { name: 'Show x-api-key' }).click();
    await form.getByText(SECRET).waitFor();
    await form.getByRole('button', { name: 'Replace value of x-api-key' }).click();
    await page.keyboard.type('another');
    await status.getByText('Save the changes first.').waitFor();
    await save.click();
    await form.getByRole('button', { name: 'Show x-api-key' }).waitFor();
    expect((await stored()).otlp_headers).toEqual([{ name: 'x-api-key', value: 'another' }]);

    await form.getByRole('button', { name: 'Remove header x-api-key' }).click();
    await form.getByLabel('Endpoint').fill('');
    await save.click();
    await form.getByRole('button', { name: 'Send a test span' }).waitFor({ state: 'detached' });
    expect(await stored()).toEqual({ otlp_endpoint: null, otlp_headers: [] });
    expect(complaints).toEqual([]);
  });

  it('shows what was exported, and why something was not, in a narrow window too', { tags: ['nightly'] }, async () => {
    collector.respond({});
    await browser.api('PATCH', '/environment/settings', { otlp_endpoint: collector.endpoint });
    const { connectionId, integration } = await importPracticeConnection(browser.hub);
    const { page } = await browser.open('/dev/environment-settings#telemetry', { width: 420 });
    const form = page.getByRole('form', { name: 'Telemetry' });
    await form.getByText(/^0 sent, 0 dropped, \d+ waiting$/).waitFor();

    const proxied = () =>
      fetch(`${browser.hub.url}/proxy/notes`, {
        headers: {
          authorization: `Bearer ${browser.hub.secretKey}`,
          'provider-config-key': integration,
          'connection-id': connectionId,
        },
      }).then((response) => response.text());
    await proxied();
    await form.getByText(/^[1-9]\d* sent, 0 dropped, 0 waiting$/).waitFor();
    collector.respond({ status: 400 });
    await proxied();
    await form.getByText('The collector answered 400 Bad Request.').waitFor();
    await expectToFitWindow(page);
  });
});
