import type { Request } from 'express';

/** The key in examples. Any other key with the prefix works too. */
export const PRACTICE_DEMO_KEY = 'practice-demo-key';

const KEY_PATTERN = /^Bearer (practice-\S+)$/i;

/** The API key of a request. Each key is an account of its own. */
export function practiceKeyOf(request: Request): string | undefined {
  return KEY_PATTERN.exec(request.get('authorization') ?? '')?.[1];
}
