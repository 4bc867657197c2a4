import type { RequestHandler } from 'express';
import { PracticeError } from './practice-error.ts';

/** The key printed in examples; any other key with the prefix works too. */
export const PRACTICE_DEMO_KEY = 'practice-demo-key';

const KEY_PATTERN = /^Bearer (practice-\S+)$/i;

/** Lets requests with a practice key through; the key names the account. */
export const requirePracticeKey: RequestHandler = (request, response, next) => {
  const key = KEY_PATTERN.exec(request.get('authorization') ?? '')?.[1];
  if (!key) {
    response.set('www-authenticate', 'Bearer realm="practice"');
    throw new PracticeError(401, 'invalid_key', 'Send "authorization: Bearer practice-…".');
  }
  response.locals['practiceKey'] = key;
  next();
};
