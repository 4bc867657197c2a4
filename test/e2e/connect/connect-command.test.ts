// @module-tag slow
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium } from '../../support/launch-chromium.ts';
import { type CliRun, runCliProcess } from '../../support/run-cli.ts';
import { type StartedServer, startServer } from '../../support/start-server.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';

let browser: Browser;
let server: StartedServer;
let folder: TempHome;
beforeAll(async () => {
  [browser, server, folder] = await Promise.all([launchChromium(), startServer(), createTempHome()]);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await folder?.remove();
});

/** Runs the command, and signs in at the address that it prints as a person does. */
async function connect(args: string[]): Promise<CliRun> {
  let signIn: Promise<void> | undefined;
  const run = await runCliProcess(['connect', ...args, '--no-browser'], {
    cwd: folder.path,
    home: server.home,
    onOutput: (output) => {
      const [link] = /http:\/\/\S+/.exec(output) ?? [];
      if (link) signIn ??= signInAt(link);
      return undefined;
    },
  });
  await signIn;
  return run;
}

async function signInAt(link: string): Promise<void> {
  const page = await browser.newPage();
  const button = page.getByRole('button', { name: /^Connect / });
  await page.goto(link);
  const [popup] = await Promise.all([page.waitForEvent('popup'), button.click()]);
  await popup.getByRole('button', { name: 'Allow' }).click();
  await waitFor(() => popup.isClosed(), { what: 'the pop-up to close' });
  await page.close();
}

describe('homeport connect', () => {
  it('waits for the sign-in and prints the connection', {
    tags: ['main-path'],
  }, async () => {
    const run = await connect(['practice-oauth2', '--user', 'u7', '--json']);
    expect([run.status, run.json()]).toMatchObject([
      0,
      { provider_config_key: 'practice-oauth2', end_user: { id: 'u7' } },
    ]);
  });
});
