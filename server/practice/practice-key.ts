import type { Request } from 'express';

/** The key printed in examples; any other key with the prefix works too. */
export const PRACTICE_DEMO_KEY = 'practice-demo-key';

const KEY_PATTERN = /^Bearer (practice-\S+)$/i;

/** The API key that a request carries; the key names the account. */
export function practiceKeyOf(request: Request): string | undefined {
  return KEY_PATTERN.exec(request.get('authorization') ?? '')?.[1];
}
