import { WAIT_LIMIT_MS } from './wait-limit.ts';

/** Milliseconds. Ends a test of many steps that hangs. */
export const STORY_LIMIT_MS = 5 * WAIT_LIMIT_MS;

/** A part of a test that is one story, in which each step needs the ones before. A failure names its step. */
export async function step(name: string, run: () => unknown): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (error instanceof Error) error.message = `In the step "${name}": ${error.message}`;
    throw error;
  }
}
