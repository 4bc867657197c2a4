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
async function connect(args: string[], answers: string[] = ['Allow']): Promise<CliRun> {
  let signIn: Promise<void> | undefined;
  let said = '';
  const isTold = (what: string): boolean => said.includes(what);
  const run = await runCliProcess(['connect', ...args, '--no-browser'], {
    cwd: folder.path,
    home: server.home,
    onOutput: (output) => {
      said = output;
      const [link] = /http:\/\/\S+/.exec(output) ?? [];
      if (link) signIn ??= signInAt(link, answers, isTold);
      return undefined;
    },
  });
  await signIn;
  return run;
}

async function signInAt(link: string, answers: string[], isTold: (what: string) => boolean): Promise<void> {
  const page = await browser.newPage();
  const button = page.getByRole('button', { name: /^(?:Connect |Reconnect|Try again)/ });
  await page.goto(link);
  for (const answer of answers) {
    const [popup] = await Promise.all([page.waitForEvent('popup'), button.click()]);
    await popup.getByRole('button', { name: answer }).click();
    await waitFor(() => popup.isClosed(), { what: 'the pop-up to close' });
    if (answer === 'Deny') await waitFor(() => isTold('refused at the provider'), { what: 'the sentence' });
  }
  await page.close();
}

describe('homeport connect', () => {
  it('waits for the sign-in and prints the connection', async () => {
    const run = await connect(['practice-oauth2', '--user', 'u7', '--json']);
    expect([run.status, run.json()]).toMatchObject([
      0,
      { provider_config_key: 'practice-oauth2', end_user: { id: 'u7' } },
    ]);
  });

  it('signs in again for a connection, also after a refusal', { tags: ['nightly'] }, async () => {
    const made = await connect(['practice-oauth2', '--user', 'u8', '--json']);
    const id: string = made.json().connection_id;

    const run = await connect(['practice-oauth2', '--reconnect', id], ['Deny', 'Allow']);

    expect([run.status, run.output]).toEqual([0, `${id}\n`]);
    expect(run.errors.match(/waits for another try on that page; Ctrl-C ends it\./g)).toHaveLength(1);
    expect(run.errors).toContain(`${id} of practice-oauth2 signed in again`);
    const again = await connect(['practice-oauth2', '--reconnect', id, '--jq', '.connection_id']);
    expect([again.status, again.output]).toEqual([0, `${id}\n`]);
  });

  it('refuses to sign in again for what is not there', async () => {
    const run = await runCliProcess(['connect', 'practice-oauth2', '--reconnect', 'nobody', '--json'], {
      cwd: folder.path,
      home: server.home,
    });
    expect([run.status, run.json().error.message]).toEqual([1, expect.stringContaining('There is no connection')]);
  });
});
