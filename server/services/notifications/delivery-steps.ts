import type { DeliveryStep } from '../../stores/webhook-deliveries-store.ts';

/** Pauses before the second and the third attempt; there is no fourth (webhooks.md 1.5). */
const RETRY_WAITS_MS = [3000, 6000];
export const MOST_ATTEMPTS = 1 + RETRY_WAITS_MS.length;

/** What an attempt came to: the receiver has it, may take it later, or will not take it. */
export type Verdict = 'delivered' | 'later' | 'refused';

export interface NextStep extends DeliveryStep {
  failures: number;
  waitMs: number;
}

/** Each destination gets all its attempts before the next one; undefined = the delivery is over. */
export function nextStep(
  current: DeliveryStep & { failures: number },
  verdict: Verdict,
  destinations: number,
): { next: NextStep | undefined; failures: number } {
  const { destination, attempt, failures } = current;
  const waitMs = verdict === 'later' ? RETRY_WAITS_MS[attempt - 1] : undefined;
  if (waitMs !== undefined) return { next: { destination, attempt: attempt + 1, failures, waitMs }, failures };
  const total = failures + (verdict === 'delivered' ? 0 : 1);
  if (destination + 1 === destinations) return { next: undefined, failures: total };
  return { next: { destination: destination + 1, attempt: 1, failures: total, waitMs: 0 }, failures: total };
}
