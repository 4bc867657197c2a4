import { afterAll, beforeAll, describe, it } from 'vitest';
import { PRACTICE_KEY } from '../../support/import-practice-connection.ts';
import { openContext, sharedBrowser } from '../../support/launch-chromium.ts';
import { type StartedServer, startServer } from '../../support/start-server.ts';
import { PageReader } from './block-runner.ts';
import { readPage } from './page-list.ts';

let server: StartedServer;

beforeAll(async () => {
  server = await startServer({ hasExamples: true });
});
afterAll(() => server?.stop());

describe('the pages that newcomers read first', () => {
  it('lead to a connection, records, an action and a webhook', async () => {
    const reader = await PageReader.open(server, {});
    try {
      await reader.read(readPage('first-ten-minutes'));
    } finally {
      await reader.close();
    }
  });

  it('lead to a page on which somebody connects an account', async () => {
    const reader = await PageReader.open(server, {});
    const context = await openContext(await sharedBrowser());
    try {
      await reader.read(readPage('connect-ui'));
      const page = await context.newPage();
      await page.goto(`http://127.0.0.1:${reader.portOf(4001)}`);
      await page.getByRole('button', { name: 'Connect the tracker' }).click();
      const connect = page.frameLocator('#connect-ui');
      await connect.getByLabel('API key', { exact: true }).fill(PRACTICE_KEY);
      await connect.getByRole('button', { name: /^Connect / }).click();
      await page.getByText(/^Connected: [0-9a-f-]{36}$/).waitFor();
    } finally {
      await context.close();
      await reader.close();
    }
  });
});
