// @module-tag slow
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { browserOfFile } from './dashboard-browser.ts';

const browser = browserOfFile();

async function openRecord(payload: Record<string, unknown>): Promise<Page> {
  const { page } = await browser.open('/app/dev/connections/:connection/records/Invoice?record=INV-20418', {
    arrange: ({ records }) => {
      const record = records.find(({ detail }) => detail.id === 'INV-20418');
      if (!record) throw new Error('The fixture has no such record.');
      record.detail.payload = payload;
    },
  });
  await page.locator('.cm-content').waitFor();
  return page;
}

const token = [{ alg: 'HS256' }, { sub: 'user-7' }, 'x'].map((part) =>
  Buffer.from(JSON.stringify(part)).toString('base64url'),
);

describe('the viewer of JSON', () => {
  it('finds words, counts them and goes from one to the next', async () => {
    const page = await openRecord({ a: 'pear', b: ['apple', 'Pear'], c: { pears: 2 } });
    await page.getByRole('textbox', { name: 'Search record' }).click();
    await page.keyboard.type('pear');

    await page.getByText('0 of 3').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('1 of 3').waitFor();
    await page.keyboard.press('Shift+Enter');

    await page.getByText('3 of 3').waitFor();
    expect(await page.locator('.cm-match').count()).toBe(3);
  });

  it('folds and unfolds, also with the keys', async () => {
    const page = await openRecord({ list: [1, 2, 3], more: { deep: true } });
    await page.getByRole('button', { name: 'Fold all: record', exact: true }).click();
    await page.locator('.cm-foldPlaceholder').first().waitFor();
    await page.getByRole('button', { name: 'Unfold all: record' }).click();
    await expect.poll(() => page.locator('.cm-foldPlaceholder').count()).toBe(0);

    await page.locator('.cm-line', { hasText: '"list"' }).click();
    await page.keyboard.press('ArrowLeft');

    await expect.poll(() => page.locator('.cm-foldPlaceholder').count()).toBe(1);
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => page.locator('.cm-foldPlaceholder').count()).toBe(0);
  });

  it('says where the cursor is, explains dates, and decodes tokens only when asked', async () => {
    const page = await openRecord({ paid: { at: '2026-11-20T10:00:00Z' }, auth: token.join('.') });
    await page.locator('.cm-line', { hasText: '"at"' }).click();
    await page.getByText('/paid/at', { exact: true }).waitFor();
    await page.getByText('Nov 20, 2026, 10:00:00 UTC', { exact: true }).waitFor();

    await page.locator('.cm-line', { hasText: '"auth"' }).click();
    await page.getByRole('button', { name: 'Decode token' }).waitFor();
    expect(await page.getByText('user-7').count()).toBe(0);
    await page.getByRole('button', { name: 'Decode token' }).click();

    await page.getByText('user-7').waitFor();
  });

  it('wraps long lines, or not, and remembers it', { tags: ['nightly'] }, async () => {
    const page = await openRecord({ long: 'word '.repeat(400) });
    const wrap = page.getByRole('button', { name: 'Wrap long lines: record' });
    const isWide = () =>
      page.locator('.cm-scroller').evaluate(({ clientWidth, scrollWidth }) => scrollWidth > clientWidth);
    expect([await wrap.getAttribute('aria-pressed'), await isWide()]).toEqual(['true', false]);

    await wrap.focus();
    await page.keyboard.press('Enter');
    await expect.poll(isWide).toBe(true);
    await page.reload();

    await page.locator('.cm-content').waitFor();
    await expect.poll(isWide).toBe(true);
    expect(await wrap.getAttribute('aria-pressed')).toBe('false');
  });

  it('copies the path and the type of what stands at the cursor, by keyboard, and the type of all of it', async () => {
    const page = await openRecord({ lines: [{ 'unit price': 2, note: 'a' }, { 'unit price': 3 }], on: true });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const copied = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText());
    await page.locator('.cm-line', { hasText: '"unit price": 3' }).click();
    await page.getByText('/lines/1/unit price', { exact: true }).waitFor();

    const copy = page.getByRole('button', { name: 'Copy', exact: true });
    await copy.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'JSONPath' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(copied).toBe(`$.lines[1]['unit price']`);
    await page.locator('.cm-line', { hasText: '"lines"' }).click();
    await page.getByText('/lines', { exact: true }).waitFor();
    await page.getByRole('button', { name: /^(Copy|Copied)$/ }).click();
    await page.getByRole('menuitem', { name: 'TypeScript type' }).click();
    await expect.poll(copied).toBe('export type Lines = {\n  "unit price": number;\n  note?: string;\n}[];\n');
    await page.getByRole('button', { name: 'Copy record as a TypeScript type' }).click();

    await expect.poll(copied).toMatch(/^export type RecordValue = \{\n {2}lines: \{/);
  });

  it('opens 18 MB with a few lines in the page', { tags: ['nightly'] }, async () => {
    const rows = Array.from({ length: 90_000 }, (_, id) => ({ id, name: `Row ${id}`, note: 'x'.repeat(150) }));
    const page = await openRecord({ rows });

    await page.locator('.cm-line', { hasText: '"Row 0"' }).waitFor();
    expect(await page.locator('.cm-line').count()).toBeLessThan(200);
    await page.getByRole('textbox', { name: 'Search record' }).click();
    await page.keyboard.type('Row 89999');

    await page.getByText('0 of 1').waitFor();
    await page.locator('.cm-line', { hasText: 'Row 89999' }).waitFor();
  });
});
