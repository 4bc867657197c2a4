// @module-tag slow
import { describe, expect, it } from 'vitest';
import { browserOfFile, type OpenOptions, type OpenPage } from './dashboard-browser.ts';

const browser = browserOfFile();

const openRecords = (query = '', options: OpenOptions = {}): Promise<OpenPage> =>
  browser.open(`/app/dev/connections/:connection/records/Invoice${query}`, options);

describe('the table of records', () => {
  it('shows its columns in the window as it opens, also five of text', async () => {
    const fields = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name, type: 'string' }));
    const { page } = await openRecords('', {
      prepare: (opened) =>
        opened.route('**/models?*', async (route) => {
          const response = await route.fetch();
          const { data } = await response.json();
          for (const model of data) model.fields = fields;
          await route.fulfill({ response, json: { data } });
        }),
    });
    const grid = page.getByRole('grid', { name: 'Records of Invoice' });
    await grid.getByRole('columnheader', { name: 'Modified' }).waitFor();
    await grid.getByRole('columnheader', { name: 'e', exact: true }).waitFor();

    await expect.poll(() => grid.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
  });
});

describe('the history of a record', () => {
  it('compares the newest two versions, then any two', async () => {
    const { page, complaints } = await openRecords('?record=INV-20418');
    await page.getByRole('tab', { name: 'History' }).click();
    const changes = page.getByRole('region', { name: 'Changes' });
    await changes.getByText('Version 3').waitFor();
    await changes.getByText('3 changes').waitFor();
    // Both texts in one column, then side by side, then only the paths.
    await changes.getByText('"PAID"').waitFor();
    // A value is marked whole, also where only some of its letters differ.
    expect(await changes.locator('.cm-deletedText').allTextContents()).toContain('"AUTHORISED"');
    expect(await changes.locator('.cm-changedText').allTextContents()).toContain('"PAID"');
    await changes.getByText('Split').click();
    await expect.poll(() => changes.locator('.cm-content').count()).toBe(2);
    await expect.poll(() => changes.locator('.cm-json-name').allTextContents()).toContain('"status"');
    await changes.getByText('Paths').click();
    await changes.getByText('/status').waitFor();
    expect(await changes.getByText('"PAID"').count()).toBe(1);

    await page.getByLabel('Version 1').check();

    await changes.getByText('Version 1').waitFor();
    expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(2);
    await changes.getByText('/lines/1').waitFor();
    await changes.getByText('"DRAFT"').waitFor();
    expect(page.url()).toContain('tab=history');
    expect(complaints).toEqual([]);
  });

  it('is gone through with the arrow keys, each version beside the one before it', { tags: ['nightly'] }, async () => {
    const { page } = await openRecords('?record=INV-20418&tab=history');
    const changes = page.getByRole('region', { name: 'Changes' });
    await changes.getByText('Version 3').waitFor();

    await page.getByRole('slider', { name: 'Version' }).focus();
    await page.keyboard.press('ArrowLeft');

    await changes.getByText('Version 2').waitFor();
    expect(await changes.getByText('Version 4').count()).toBe(0);
  });

  it('is gone through change by change with buttons too, and signs say what is new', {
    tags: ['nightly'],
  }, async () => {
    const { page } = await openRecords('?record=INV-20418&tab=history');
    const changes = page.getByRole('region', { name: 'Changes' });
    const text = changes.locator('.cm-content');
    await text.getByText('"PAID"').waitFor();
    const signs = await changes
      .locator('.cm-changedLineGutter')
      .evaluateAll((marks) => marks.map((mark) => getComputedStyle(mark, '::after').content));
    expect(new Set(signs)).toEqual(new Set(['"+"']));
    // Drawn, and repeated for each removed line.
    const drawn = await changes.locator('.cm-deletedLineGutter').evaluateAll((marks) =>
      marks.map((mark) => {
        const { backgroundImage, backgroundRepeat, backgroundSize } = getComputedStyle(mark);
        return [backgroundImage.startsWith('linear-gradient('), backgroundRepeat, backgroundSize].join(' ');
      }),
    );
    expect(new Set(drawn)).toEqual(new Set(['true repeat-y 7px 20px']));
    // The names of members have one colour, also in removed lines.
    const colourOf = (line: string): Promise<string> =>
      changes
        .locator(line)
        .locator('span', { hasText: /^"status"$/ })
        .first()
        .evaluate((name) => getComputedStyle(name).color);
    expect(await colourOf('.cm-deletedLine')).toBe(await colourOf('.cm-changedLine'));
    expect(await colourOf('.cm-deletedLine')).not.toBe(
      await changes
        .locator('.cm-line span', { hasText: /^"INV-20418"$/ })
        .first()
        .evaluate((value) => getComputedStyle(value).color),
    );

    await changes.getByRole('button', { name: 'Next change (n)' }).click();

    // The text shows where its cursor is once it has the focus.
    await text.focus();
    const cursorIsInChange = () =>
      text.evaluate((content) => {
        const root = content.getRootNode() as ShadowRoot & { getSelection?: () => Selection | null };
        const at = root.getSelection?.()?.anchorNode;
        const element = at instanceof Element ? at : at?.parentElement;
        return element?.closest('.cm-changedLine') !== null;
      });
    await expect.poll(cursorIsInChange).toBe(true);
  });

  it('leads to the run that made a version', { tags: ['nightly'] }, async () => {
    const { page } = await openRecords('?record=INV-20418&tab=history');

    await page.getByRole('region', { name: 'Versions' }).getByRole('link', { name: 'Run' }).first().click();

    await page.getByRole('complementary', { name: 'Operation op-0' }).waitFor();
  });

  it('says so when there is one version only', { tags: ['nightly'] }, async () => {
    const { page } = await openRecords('?record=INV-20417&tab=history');

    await page.getByText('Nothing has replaced this version yet.').waitFor();
  });

  it('is offered where none is kept, and removed after a confirmation', async () => {
    const { page, fixture } = await openRecords('?record=INV-20418&tab=history', { hasHistory: false });
    await page.getByText('up to 50 versions a record, for 30 days').waitFor();

    await page.getByRole('button', { name: 'Keep history' }).click();
    await page.getByText('3 changes').waitFor();
    expect(fixture.state.history.isOn).toBe(true);
    await page.getByRole('button', { name: 'Stop keeping history' }).click();
    await page.getByRole('button', { name: 'Remove history' }).click();

    await page.getByText('No history of Invoice').waitFor();
    expect(fixture.state.history.isOn).toBe(false);
  });
});

describe('the records as of a moment', () => {
  it('are those of now where the address names no moment that can be read', { tags: ['nightly'] }, async () => {
    const { page, complaints } = await openRecords('?at=yesterday');

    await page.getByRole('grid', { name: 'Records of Invoice' }).getByText('INV-20418').waitFor();
    expect(complaints).toEqual([]);
  });

  it('are shown for the chosen moment, with the way back', async () => {
    const { page } = await openRecords();
    const grid = page.getByRole('grid', { name: 'Records of Invoice' });
    await grid.getByText('INV-20418').waitFor();

    await page.getByRole('button', { name: 'As of' }).click();
    await page.getByRole('button', { name: '1 hour ago' }).click();

    await grid.getByText('INV-20418').waitFor({ state: 'detached' });
    await page.getByText('3 more records existed then, but no version from that time is kept.').waitFor();
    await page.setViewportSize({ width: 420, height: 800 });
    // The name of the model stays on one line.
    const heading = page.getByRole('heading', { level: 1 });
    await expect.poll(async () => (await heading.boundingBox())?.height).toBeLessThan(40);
    await page.setViewportSize({ width: 1280, height: 800 });
    expect(new URL(page.url()).searchParams.get('at')).toMatch(/^\d{4}-/);
    await page.getByRole('button', { name: 'Back to now' }).click();
    await grid.getByText('INV-20418').waitFor();
  });

  it('take a date and a time within the history', { tags: ['nightly'] }, async () => {
    const { page } = await openRecords();
    await page.getByRole('button', { name: 'As of' }).click();
    const field = page.getByLabel('Show the records as of');

    await field.fill('2001-01-01T00:00:00');
    await page.getByText('No history was kept then.').waitFor();
    expect(await page.getByRole('button', { name: 'Show', exact: true }).isDisabled()).toBe(true);
    const anHourAgo = new Date(Date.now() - 3_600_000 - new Date().getTimezoneOffset() * 60_000);
    await field.fill(anHourAgo.toISOString().slice(0, 19));
    await page.getByRole('button', { name: 'Show', exact: true }).click();

    await page.getByRole('button', { name: 'Back to now' }).waitFor();
  });

  it('are gone through with the slider, by keys, each moment said', async () => {
    const { page, fixture, complaints } = await openRecords();
    const grid = page.getByRole('grid', { name: 'Records of Invoice' });
    await grid.getByText('INV-20418').waitFor();
    const slider = page.getByRole('slider', { name: 'Records as of' });
    expect(await slider.getAttribute('aria-valuetext')).toBe('now');

    await slider.focus();
    await page.keyboard.press('ArrowLeft');
    const threeDaysAgo = new Date(fixture.state.now - 3 * 86_400_000);
    await page.waitForURL((url) => url.searchParams.get('at') === threeDaysAgo.toISOString());
    await grid.getByText('INV-20418').waitFor({ state: 'detached' });
    expect(await slider.getAttribute('aria-valuetext')).toContain(String(threeDaysAgo.getFullYear()));
    await page.keyboard.press('Home');
    const oldest = new Date(fixture.state.now - 11 * 86_400_000).toISOString();
    await page.waitForURL((url) => url.searchParams.get('at') === oldest);

    await page.keyboard.press('End');
    await grid.getByText('INV-20418').waitFor();
    expect(new URL(page.url()).searchParams.get('at')).toBeNull();
    expect(await slider.getAttribute('aria-valuetext')).toBe('now');
    expect(await page.evaluate(() => document.activeElement?.getAttribute('type'))).toBe('range');
    expect(complaints).toEqual([]);
  });
});
