// @module-tag slow
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { importPracticeConnection } from '../../support/import-practice-connection.ts';
import { actionSource, saveFunction } from '../../support/server-workspace.ts';
import { type DesktopOptions, type StartedDesktop, startDesktop, whyNoDesktop } from '../../support/start-desktop.ts';
import { TEST_SECRET_KEY } from '../../support/start-server.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';

describe.skipIf(whyNoDesktop())('a start of the desktop app', () => {
  let home: TempHome;
  let app: StartedDesktop | undefined;

  beforeEach(async () => {
    home = await createTempHome();
  });
  afterEach(async () => {
    await app?.end();
    app = undefined;
    await home.remove();
  });

  async function start(options: DesktopOptions): Promise<{ running: StartedDesktop; page: Page }> {
    app = await startDesktop({ ...options, home: home.path });
    return { running: app, page: app.windows()[0] ?? (await app.nextWindow()) };
  }

  it('by a link shows its page, in one window', async () => {
    const { page, running } = await start({ args: ['homeport://open/dev/logs?q=cold'] });
    await page.waitForURL(/\/app\/dev\/logs\?q=cold$/);
    await page.getByRole('navigation').first().waitFor();

    expect(running.windows()).toHaveLength(1);
  });

  it('with another master key says that the vault is locked, and tries again when asked', async () => {
    const { page: first, running } = await start({ env: { HOMEPORT_MASTER_KEY: randomBytes(32).toString('base64') } });
    await first.waitForURL(/\/app\//);
    await running.end();
    const { page } = await start({ env: { HOMEPORT_MASTER_KEY: randomBytes(32).toString('base64') } });
    await page.getByRole('heading', { name: 'The vault is locked' }).waitFor();

    // The link of the status page has the scheme of the app; the server ends again for the same reason.
    await page.getByRole('link', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Homeport is starting' }).waitFor();
    await page.getByRole('heading', { name: 'The vault is locked' }).waitFor();
  });

  it('is followed by an end that asks while work runs', async () => {
    const { page, running } = await start({ env: { HOMEPORT_SECRET_KEY: TEST_SECRET_KEY } });
    await page.waitForURL(/\/app\/welcome/);
    const url = new URL(page.url()).origin;
    await importPracticeConnection({ url, secretKey: TEST_SECRET_KEY });
    await saveFunction(
      join(home.path, 'data', 'functions'),
      'practice/actions/wait.ts',
      actionSource('for (;;) await new Promise((resolve) => setTimeout(resolve, 50));'),
    );
    const headers = {
      authorization: `Bearer ${TEST_SECRET_KEY}`,
      'provider-config-key': 'practice',
      'connection-id': 'me',
      'content-type': 'application/json',
      'x-async': 'true',
    };
    const body = JSON.stringify({ action_name: 'wait', input: {} });
    await waitFor(async () => (await fetch(`${url}/action/trigger`, { method: 'POST', headers, body })).ok, {
      what: 'the action',
    });
    const asked = await running.answerQuestions(1);
    // The shell learns of the run a moment later; until then nothing is asked, and the app would end.
    await page
      .getByText(/^[1-9]\d* running$/)
      .first()
      .waitFor();
    await running.evaluate(({ app: it_ }) => it_.quit());
    await waitFor(async () => (await asked()).length === 1, { what: 'the question' });
    expect(await asked()).toEqual([expect.stringMatching(/(run is|runs are) in progress\.$/)]);
    expect(running.hasEnded()).toBe(false);

    await running.answerQuestions(0);
    await running.evaluate(({ app: it_ }) => void setTimeout(() => it_.quit(), 0));
    await waitFor(() => running.hasEnded(), { what: 'the end of the app' });
  });
});
