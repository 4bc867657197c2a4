import { describe, expect, it } from 'vitest';
import { deliverySentence } from './delivery-sentence.ts';

type DescribedDelivery = Parameters<typeof deliverySentence>[0];

const NOW = Date.parse('2026-06-01T12:00:00Z');
const URL_ONE = 'http://localhost:4000/hook';

function attempt(part: Partial<DescribedDelivery['attempts'][number]>): DescribedDelivery['attempts'][number] {
  return {
    ...{ url: URL_ONE, destination: 1, attempt: 1, startedAt: '2026-06-01T12:00:00Z', durationMs: 5 },
    ...{ code: null, error: null, problem: null, headers: null, body: null, isBodyCut: false },
    ...part,
  };
}

const sentenceOf = (part: Partial<DescribedDelivery>): string =>
  deliverySentence(
    {
      ...{ state: 'waiting', url: URL_ONE, code: null, error: null, attempt: 1, mostAttempts: 3 },
      ...{ nextAttemptAt: null, destinationCount: 1, attempts: [], ...part },
    } as DescribedDelivery,
    NOW,
  );

describe('deliverySentence', () => {
  it.each<[Partial<DescribedDelivery>, string]>([
    [{}, 'On its way to localhost:4000.'],
    [{ nextAttemptAt: '2026-06-01T12:00:09Z' }, 'Goes to localhost:4000 in 9 s.'],
    [
      { attempt: 2, code: 503, nextAttemptAt: '2026-06-01T12:00:03Z' },
      'localhost:4000 answered 503. Attempt 2 of 3 begins in 3 s.',
    ],
    [{ attempt: 3, error: 'ECONNREFUSED' }, 'localhost:4000 did not answer. Attempt 3 of 3 is in progress.'],
    // The first address failed; the second one has not been tried yet.
    [{ attempt: 1, code: 410, destinationCount: 2 }, 'On its way to localhost:4000.'],
    [{ state: 'delivered', code: 204 }, 'localhost:4000 accepted it with 204.'],
    [{ state: 'delivered', code: 200, attempt: 3 }, 'localhost:4000 accepted it with 200, at attempt 3 of 3.'],
    [{ state: 'delivered', code: 200, destinationCount: 2 }, 'All 2 addresses accepted it.'],
    [
      { state: 'failed', attempts: [attempt({ code: 410 })] },
      'localhost:4000 answered 410, which is not retried: only 5xx responses and network errors are.',
    ],
    [{ state: 'failed', attempts: [attempt({ code: 503, attempt: 3 })] }, 'localhost:4000 answered 503, three times.'],
    [
      { state: 'failed', attempts: [attempt({ problem: 'Nobody answered', error: 'ECONNREFUSED' })] },
      'Nobody answered, once.',
    ],
    [
      { state: 'failed', error: 'DESTINATION_DELETED', attempts: [attempt({ code: 503 })] },
      'The destination was deleted before localhost:4000 accepted it.',
    ],
    // The second address succeeded; the failure of the first one matters.
    [
      { state: 'failed', code: 200, attempts: [attempt({ code: 404 }), attempt({ code: 200, destination: 2 })] },
      'localhost:4000 answered 404, which is not retried: only 5xx responses and network errors are.',
    ],
  ])('of %j', (part, sentence) => {
    expect(sentenceOf(part)).toBe(sentence);
  });
});
