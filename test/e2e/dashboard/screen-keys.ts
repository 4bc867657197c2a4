import type { Page } from 'playwright-core';

/**
 * `g` and the letter of a screen, both sent at once: the shell waits a second and a half for the second key, and the
 * way to a browser and back may take longer on a busy machine.
 */
export async function goByKeys(page: Page, letter: string): Promise<void> {
  await Promise.all([page.keyboard.press('g'), page.keyboard.press(letter)]);
}
