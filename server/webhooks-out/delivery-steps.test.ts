import { describe, expect, it } from 'vitest';
import { type AttemptOutcome, nextStep } from './delivery-runner.ts';

const at = (destination: number, attempt: number, failures = 0) => ({ destination, attempt, failures });

describe('nextStep', () => {
  it.each<[ReturnType<typeof at>, AttemptOutcome, number, ReturnType<typeof nextStep>]>([
    [at(0, 1), 'delivered', 1, { next: undefined, failures: 0 }],
    [at(0, 1), 'refused', 1, { next: undefined, failures: 1 }],
    [at(0, 1), 'later', 1, { next: { ...at(0, 2), waitMs: 3000 }, failures: 0 }],
    [at(0, 2), 'later', 1, { next: { ...at(0, 3), waitMs: 6000 }, failures: 0 }],
    [at(0, 3), 'later', 1, { next: undefined, failures: 1 }],
    [at(0, 3), 'later', 2, { next: { ...at(1, 1, 1), waitMs: 0 }, failures: 1 }],
    [at(0, 1), 'refused', 2, { next: { ...at(1, 1, 1), waitMs: 0 }, failures: 1 }],
    [at(0, 2), 'delivered', 2, { next: { ...at(1, 1), waitMs: 0 }, failures: 0 }],
    [at(1, 1, 1), 'delivered', 2, { next: undefined, failures: 1 }],
    [at(1, 1, 1), 'refused', 2, { next: undefined, failures: 2 }],
  ])('after %o %s of %i', (current, outcome, destinations, expected) => {
    expect(nextStep(current, outcome, destinations)).toEqual(expected);
  });
});
