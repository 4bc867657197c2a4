import type { Page } from 'playwright-core';

/**
 * Presses `g` and the letter of a screen in one call: the shell waits a second and a half for the second key, and two
 * calls to a browser may take longer on a busy machine.
 */
export async function goByKeys(page: Page, letter: string): Promise<void> {
  await Promise.all([page.keyboard.press('g'), page.keyboard.press(letter)]);
}
