// @module-tag slow
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { browserOfFile, type OpenPage } from './dashboard-browser.ts';
import { waitForFocusedField } from './focused-field.ts';

const browser = browserOfFile();

const NEWER = { after: '2026-11-27T12:00Z' };

/** A changed draft of the checkpoint of fetch-deals. */
async function openDraft(): Promise<OpenPage & { panel: Locator }> {
  const opened = await browser.open('/app/dev/connections/:connection/syncs?sync=fetch-deals');
  const { page } = opened;
  const panel = page.getByRole('complementary', { name: 'Sync fetch-deals' });
  await panel.getByRole('button', { name: 'Edit checkpoint' }).click();
  await waitForFocusedField(page);
  await page.keyboard.press('Control+a');
  await page.keyboard.type('{"after": "mine"}');
  return { ...opened, panel };
}

function storeNewer({ state }: OpenPage['fixture']): void {
  Object.assign(state.syncs[2] ?? {}, { checkpoint: NEWER });
}

/** Stores a newer checkpoint as a run does, and waits until the page has read it. */
async function finishRun(page: Page, fixture: OpenPage['fixture']): Promise<void> {
  storeNewer(fixture);
  const { integrationKey = '', connectionId = '' } = fixture.state.connections[0]?.detail ?? {};
  const isRead = page.waitForResponse((response) => new URL(response.url()).pathname === '/api/v1/sync');
  fixture.emit('sync', { integrationKey, connectionId, sync: 'fetch-deals', variant: 'base' });
  await isRead;
}

describe('a checkpoint that changes while it is edited', () => {
  it('is shown beside the draft, and stays where the newer one is kept', async () => {
    const { page, fixture, panel, complaints } = await openDraft();
    await finishRun(page, fixture);
    const notice = panel.getByRole('alert').filter({ hasText: 'The checkpoint changed meanwhile' });
    await notice.getByText(NEWER.after).waitFor();

    await page.keyboard.press('Control+Enter');
    await panel.getByText('Keep the newer checkpoint or replace it.').waitFor();
    expect(fixture.state.syncs[2]?.checkpoint).toEqual(NEWER);
    await notice.getByRole('button', { name: 'Keep newer' }).press('Enter');

    await panel.getByRole('button', { name: 'Edit checkpoint' }).waitFor();
    await panel.getByText(NEWER.after).waitFor();
    expect(fixture.state.syncs[2]?.checkpoint).toEqual(NEWER);
    expect(complaints).toEqual([]);
  });

  it('is replaced only when that is chosen, also where the page has not heard of the change', async () => {
    const { page, fixture, panel } = await openDraft();
    storeNewer(fixture);

    await panel.getByRole('button', { name: 'Save checkpoint' }).click();
    const notice = panel.getByRole('alert').filter({ hasText: 'The checkpoint changed meanwhile' });
    await notice.getByText(NEWER.after).waitFor();
    expect(fixture.state.syncs[2]?.checkpoint).toEqual(NEWER);
    await notice.getByRole('button', { name: 'Replace' }).click();

    await expect.poll(() => fixture.state.syncs[2]?.checkpoint).toEqual({ after: 'mine' });
    await page.getByText('Checkpoint saved').waitFor();
  });
});
