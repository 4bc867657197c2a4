// @module-tag slow
import { describe, expect, it } from 'vitest';
import type { FixtureState } from '../../support/dashboard-fixture-state.ts';
import { expectToFitWindow } from '../../support/fits-window.ts';
import { browserOfFile } from './dashboard-browser.ts';

const browser = browserOfFile();

const BROKEN = '/app/dev/integrations/zendesk/functions/create-ticket?type=action';
const SYNC = '/app/dev/integrations/hubspot/functions/fetch-contacts?type=sync';

describe('a function whose file does not compile', () => {
  it('is compared with the version that runs', async () => {
    const { page, complaints } = await browser.open(BROKEN);

    await page.getByRole('button', { name: /^Compare with/ }).click();

    await page.getByRole('heading', { name: /^Version .* runs$/ }).waitFor();
    await page.locator('.cm-changedLine').filter({ hasText: 'priority: input.priority' }).waitFor();
    await page
      .getByText(/unchanged lines/)
      .first()
      .waitFor();
    expect(complaints).toEqual([]);
  });

  it('opens at its line in the editor that was chosen last', async () => {
    const { page } = await browser.open(BROKEN);
    const link = page.getByRole('link', { name: 'Open in VS Code' });
    expect(await link.getAttribute('href')).toBe(
      'vscode://file/home/me/homeport/functions/zendesk/actions/create-ticket.ts:23',
    );

    await page.getByRole('button', { name: 'Choose the editor' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Cursor' }).waitFor();
    // No program handles the address here, so only the choice is stored.
    await page.evaluate(() => document.addEventListener('click', (event) => event.preventDefault()));
    await page.getByRole('menuitem', { name: 'Cursor' }).click();

    await page.getByRole('link', { name: 'Open in Cursor' }).waitFor();
    await page.getByText(/^Checked [\d:]+( [ap]m)? in 240 ms$/i).waitFor();

    // The list shows the error and opens the same editor.
    await page.goto(new URL('/app/dev/functions', page.url()).href);
    const row = page.getByRole('row').filter({ hasText: 'create-ticket' });
    await row.getByText('Property priority does not exist').waitFor();
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'File', exact: true }).click();
    const file = row.getByRole('link', { name: 'zendesk/actions/create-ticket.ts' });
    expect(await file.getAttribute('href')).toBe(
      'cursor://file/home/me/homeport/functions/zendesk/actions/create-ticket.ts:23',
    );
  });
});

function problemOf({ functions }: FixtureState) {
  const broken = functions.find(({ name }) => name === 'create-ticket');
  const [first] = broken?.problems ?? [];
  if (!broken || !first) throw new Error('The fixture has no function with a problem.');
  return { broken, first };
}

describe('the code of a function', () => {
  it('shows every problem, also two of one line and in any order', { tags: ['nightly'] }, async () => {
    const messages: string[] = [];
    const { page, complaints } = await browser.open(BROKEN, {
      arrange: (state) => {
        const { broken, first } = problemOf(state);
        broken.problems = [
          { ...first, message: 'The last one', line: 24 },
          first,
          { ...first, message: 'The second of the line', column: 40 },
          { ...first, message: 'The first one', line: 2 },
        ];
        messages.push(...broken.problems.map(({ message }) => message));
      },
    });

    expect(messages).toHaveLength(4);
    for (const message of messages)
      await page.locator('.cm-problem').filter({ hasText: message }).waitFor({ state: 'attached' });
    expect(complaints).toEqual([]);
  });
});

describe('a problem of a line that is longer than the window', () => {
  it('is shown whole beside its code, and says code as code', { tags: ['nightly'] }, async () => {
    const message = `Expected \`,\` or \`}\` but found \`;\`, ${'which is a long story '.repeat(12)}`;
    const { page } = await browser.open(BROKEN, {
      arrange: (state) => {
        const { broken, first } = problemOf(state);
        broken.problems = [{ ...first, message }];
        broken.code = broken.code.replace('\n', `// ${'long '.repeat(200)}\n`);
      },
    });
    const box = page.locator('.cm-problem');
    await box.getByText('which is a long story').waitFor();

    const isInside = await box.evaluate((element) => {
      const editor = element.closest('.cm-editor');
      return editor !== null && element.getBoundingClientRect().right <= editor.getBoundingClientRect().right;
    });
    expect(isInside).toBe(true);
    expect(await box.locator('code').allTextContents()).toEqual([',', '}', ';']);
    const problems = page.getByRole('region', { name: 'Problems' });
    expect(await problems.getByRole('button').locator('code').allTextContents()).toContain('}');
  });
});

describe('the versions of a function', () => {
  it('are compared two at a time, by the keyboard', { tags: ['nightly'] }, async () => {
    const { page, complaints } = await browser.open(`${SYNC}#versions`);
    const versions = page.getByRole('list', { name: 'Versions' });
    await versions.getByText('Project deploy').waitFor();
    await page.getByRole('heading', { name: '1.2.0 → 1.3.0' }).waitFor();
    await page.getByText('// version 2').waitFor();

    await page.getByRole('checkbox', { name: '1.3.0' }).focus();
    await page.keyboard.press('Space');
    await page.getByText('Tick two versions to compare them.').waitFor();
    await page.getByRole('checkbox', { name: '1.1.0' }).focus();
    await page.keyboard.press('Space');

    await page.getByRole('heading', { name: '1.1.0 → 1.2.0' }).waitFor();
    await page.getByText('// version 1').waitFor();
    expect(complaints).toEqual([]);
  });

  it('take the whole height of a narrow window', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open(`${SYNC}#versions`, { width: 420 });
    await page.getByRole('list', { name: 'Versions' }).getByText('Project deploy').waitFor();

    const [box, main] = await Promise.all([
      page.getByRole('list', { name: 'Versions' }).locator('../..').boundingBox(),
      page.getByRole('main').boundingBox(),
    ]);

    expect((box?.y ?? 0) + (box?.height ?? 0)).toBe((main?.y ?? 0) + (main?.height ?? 0));
  });
});

describe('the page of a function', () => {
  it('says how the week went, and lists runs and requests with their way to the log', {
    tags: ['main-path'],
  }, async () => {
    const { page } = await browser.open(SYNC);
    await page.getByText('604 ms').waitFor();
    await page.getByRole('img', { name: /runs in 7 days, 6 failed/ }).waitFor();

    await page.getByRole('tab', { name: 'Runs' }).click();
    await page.getByRole('columnheader', { name: 'Started by' }).waitFor();
    await page.getByRole('tab', { name: 'Requests' }).focus();
    await page.keyboard.press('Enter');
    const requests = page.getByRole('grid', { name: 'Requests' });
    await requests.getByText(/^GET /).first().waitFor();
    await requests.focus();
    await page.keyboard.press('Enter');

    await page.waitForURL('**/logs?operationId=*');
  });

  it('shows the state of a sync on each connection and leads there', async () => {
    const { page, complaints } = await browser.open(SYNC);
    await page.getByRole('tab', { name: 'Connections' }).click();
    await page.getByRole('grid', { name: 'Connections of the sync' }).focus();
    await page.keyboard.press('Enter');

    await page.waitForURL('**/syncs?sync=fetch-contacts*');
    expect(complaints).toEqual([]);
  });

  it('changes how often a sync runs on the connections that are chosen, and shows the next runs', async () => {
    const { page, fixture, complaints } = await browser.open(`${SYNC}#connections`);
    const grid = page.getByRole('grid', { name: 'Connections of the sync' });
    await grid.getByRole('row').nth(1).waitFor();
    await grid.focus();
    await page.keyboard.press('Shift+Space');
    const bar = page.getByRole('toolbar', { name: 'Selected rows' });
    await bar.getByRole('button', { name: 'Change frequency…' }).click();
    const dialog = page.getByRole('dialog', { name: 'How often fetch-contacts runs' });
    await dialog.getByText('For the connection chosen').waitFor();
    const field = dialog.getByLabel('Frequency');
    expect(await field.evaluate((input) => input === document.activeElement)).toBe(true);
    await page.keyboard.type('every 5 minutes');
    await dialog.getByText(/^Next runs of .*: /).waitFor();
    await page.keyboard.press('Enter');

    await page.getByText('1 sync changed').waitFor();
    const changed = (): Array<string | null> =>
      fixture.state.syncs.filter(({ hasOwnFrequency }) => hasOwnFrequency).map(({ frequency }) => frequency);
    expect(changed()).toEqual(['every 5 minutes']);
    await grid.getByText('every 5 min (own)').first().waitFor();

    // The text of the function applies again.
    await grid.getByRole('row').filter({ hasText: '(own)' }).first().getByRole('checkbox').click();
    await bar.getByRole('button', { name: 'Change frequency…' }).click();
    await dialog.getByRole('button', { name: 'Use the function’s' }).click();
    await page.getByText('1 sync changed').last().waitFor();
    await expect.poll(changed).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('leads from its own frequency to that of its connections', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open(`${SYNC}#details`);

    await page.getByRole('button', { name: 'Change it for connections' }).click();

    await page.getByRole('grid', { name: 'Connections of the sync' }).waitFor();
  });

  it('lists the members of its output with their types', async () => {
    const { page } = await browser.open(`${SYNC}#output`);
    await page.getByRole('row', { name: /^id number/ }).waitFor();
    await page.getByText('JSON Schema').click();
    await page.getByText('"properties"').waitFor();
  });

  it('asks before a sync is switched off', async () => {
    const { page, fixture } = await browser.open(SYNC);
    await page.getByRole('switch', { name: 'Enabled' }).focus();
    await page.keyboard.press('Space');
    await page.getByText('It stops for every connection.').waitFor();
    await page.getByRole('button', { name: 'Disable sync' }).click();

    await expect
      .poll(() => fixture.state.functions.find(({ name }) => name === 'fetch-contacts')?.isEnabled)
      .toBe(false);
  });

  it('opens the playground with itself chosen', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open(SYNC);
    await page.getByRole('button', { name: 'Playground', exact: true }).focus();
    await page.keyboard.press('Enter');

    const sheet = page.getByRole('complementary', { name: 'Playground' });
    const chosen = sheet.getByRole('combobox', { name: 'Sync' });
    await expect.poll(() => chosen.inputValue()).toBe('fetch-contacts');
  });

  it('says so where the address names no type of function', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open('/app/dev/integrations/hubspot/functions/fetch-contacts?type=job');

    await page.getByText('There is no type of function “job”').waitFor();
    await page.getByRole('link', { name: 'All functions' }).waitFor();
  });

  it('scrolls to its list of runs where the window is low, as at a zoom of 200 %', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open(`${SYNC}#runs`);
    const runs = page.getByRole('grid', { name: 'Runs' });
    await runs.getByRole('row').nth(1).waitFor();
    await page.setViewportSize({ width: 640, height: 400 });

    await expect.poll(() => runs.evaluate((grid) => grid.clientHeight)).toBeGreaterThan(120);
    await runs.getByRole('row').nth(1).click();
    await page.waitForURL(/operationId=/);
  });

  it('fits a narrow window', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open(SYNC, { width: 420 });
    for (const tab of ['Code', 'Runs', 'Versions', 'Details']) {
      await page.getByRole('tab', { name: tab }).click();
      await expectToFitWindow(page);
    }
  });
});
