import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { SCREENS } from '../e2e/dashboard/dashboard-screens.ts';
import { differencePage } from './difference-page.ts';
import { KEY_SCREENS, PICTURE_VIEWS } from './key-screens.ts';

it('draws 25 screens that exist, at three widths in two themes', () => {
  const names = SCREENS.map(([name]) => name);

  expect(KEY_SCREENS.filter((one) => !names.includes(one))).toEqual([]);
  expect(new Set(KEY_SCREENS).size).toBe(25);
  expect(new Set(PICTURE_VIEWS.map(({ name }) => name)).size).toBe(25 * 3 * 2);
});

it('has stored each of them and nothing else', () => {
  const stored = readdirSync(new URL('stored/', import.meta.url)).filter((file) => file.endsWith('.png'));

  expect(stored.sort()).toEqual(PICTURE_VIEWS.map(({ name }) => `${name}.png`).sort());
});

it('shows what was stored, what is drawn now and where they differ', () => {
  const page = differencePage([
    { name: 'logs-420-dark', share: 0.0123 },
    { name: 'mcp-900-light', share: null },
  ]);

  expect(page).toContain('logs-420-dark: 1.23 % differs');
  for (const folder of ['stored', 'now', 'difference']) expect(page).toContain(`src="${folder}/logs-420-dark.png"`);
  expect(page).toContain('mcp-900-light: not stored yet');
  expect(page).not.toContain('stored/mcp-900-light.png');
});
