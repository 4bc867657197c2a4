// @module-tag slow
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newFunction } from '../../../functions/compiler/new-function.ts';
import { expectToFitWindow } from '../../support/fits-window.ts';
import { waitFor } from '../../support/wait-for.ts';
import { HubBrowser } from './hub-browser.ts';

let browser: HubBrowser;
beforeAll(async () => {
  browser = await HubBrowser.start();
  await browser.api('POST', '/integrations', { provider: 'practice', unique_key: 'practice' });
});
afterAll(() => browser?.stop());

const PAGE = '/dev/integrations/practice/functions/restored?type=action#versions';
const codeOf = (version: string): string => newFunction('action', 'restored').replace('1.0.0', version);
const file = (): string => join(browser.hub.workspace, 'practice/actions/restored.ts');
const fileText = (): Promise<string> => readFile(file(), 'utf8');

interface Scripts {
  providerConfigKey: string;
  actions: Array<{ name: string; version: string }>;
}

async function liveVersion(): Promise<string | undefined> {
  const scripts = await browser.api<Scripts[]>('GET', '/scripts/config');
  return scripts.flatMap(({ actions }) => actions).find(({ name }) => name === 'restored')?.version;
}

/** A page that lists the versions 1.0.0 and 2.0.0, whatever was in the folder before. */
async function openVersions(width = 1280) {
  await mkdir(join(browser.hub.workspace, 'practice/actions'), { recursive: true });
  for (const version of ['1.0.0', '2.0.0']) {
    await writeFile(file(), codeOf(version));
    await waitFor(async () => (await liveVersion()) === version, { what: `version ${version}`, limitMs: 20_000 });
  }
  const opened = await browser.open(PAGE, { width });
  const versions = opened.page.getByRole('list', { name: 'Versions' });
  await versions.getByText('1.0.0').first().waitFor();
  return { ...opened, versions, restore: () => versions.getByRole('button', { name: 'Restore 1.0.0' }).first() };
}

describe('a former version of a function', () => {
  it('is restored after a question, and the one before comes back the same way', async () => {
    const { page, restore, versions, complaints } = await openVersions();
    await restore().click();
    const question = page.getByRole('dialog', { name: 'Restore 1.0.0?' });
    await question.getByText('Files that it imports stay as they are').waitFor();
    expect(await fileText()).toBe(codeOf('2.0.0'));
    await question.getByRole('button', { name: 'Restore' }).click();

    await page.getByRole('heading', { name: 'Version 1.0.0 runs' }).waitFor();
    expect(await fileText()).toBe(codeOf('1.0.0'));
    await versions.getByRole('button', { name: 'Restore 2.0.0' }).first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('heading', { name: 'Version 2.0.0 runs' }).waitFor();
    expect(await fileText()).toBe(codeOf('2.0.0'));
    expect(complaints).toEqual([]);
  });

  it('replaces a file that was changed meanwhile only after a second question', { tags: ['nightly'] }, async () => {
    const { page, restore, versions } = await openVersions();
    await restore().click();
    const first = page.getByRole('dialog', { name: 'Restore 1.0.0?' });
    await first.waitFor();
    await writeFile(file(), 'not a function +');
    await first.getByRole('button', { name: 'Restore' }).click();

    const second = page.getByRole('dialog', { name: 'The file was changed on the disk' });
    await second.waitFor();
    expect(await fileText()).toBe('not a function +');
    await second.getByRole('button', { name: 'Replace it' }).click();
    await page.getByRole('heading', { name: 'Version 1.0.0 runs' }).waitFor();
    expect(await fileText()).toBe(codeOf('1.0.0'));
    await versions.getByText('replaced file').first().waitFor();
  });

  it('comes back for a function whose file is gone, in a narrow window too', { tags: ['nightly'] }, async () => {
    const { page, restore } = await openVersions(420);
    await expectToFitWindow(page);
    await rm(file());
    await page.getByText('The file is missing').waitFor();
    await restore().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();

    await page.getByText('The file is missing').waitFor({ state: 'detached' });
    expect(await fileText()).toBe(codeOf('1.0.0'));
  });
});
