import type { Clock } from './clock.ts';

/**
 * When a token counts as issued, in milliseconds since the epoch. `sentAt`: when its request was sent. The computer may have
 * slept before the response was read, or its clock was set back: a token that counts as older than it is is only renewed early.
 */
export function issueTime(sentAt: number, clock: Pick<Clock, 'now'>): number {
  return Math.min(sentAt, clock.now());
}
