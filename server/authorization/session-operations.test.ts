import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../test/support/fake-clock.ts';
import type { Operation, OperationEnd } from '../log/operation.ts';
import { createSessionOperations, type SessionOperations } from './session-operations.ts';

const MINUTE_MS = 60_000;

class EndedOperation implements Operation {
  readonly id = 'operation';
  readonly ends: Array<{ state: string; message: OperationEnd['message'] }> = [];
  log(): void {}
  redactSecrets(): void {}
  begin(): void {}
  measure(): void {}
  noteStack(): void {}
  finish(state: string, end: OperationEnd = {}): void {
    this.ends.push({ state, message: end.message });
  }
}

const followed = () => ({ operation: new EndedOperation(), start: () => new EndedOperation() });

function open(): { clock: FakeClock; operations: SessionOperations; operation: EndedOperation } {
  const clock = new FakeClock();
  const operations = createSessionOperations(clock);
  const operation = new EndedOperation();
  operations.add('hash', { ...followed(), operation }, 30 * MINUTE_MS);
  return { clock, operations, operation };
}

describe('SessionOperations', () => {
  it('ends an operation when its session expires', async () => {
    const { clock, operation } = open();

    await clock.advance(30 * MINUTE_MS - 1);
    expect(operation.ends).toEqual([]);
    await clock.advance(1);
    expect(operation.ends).toEqual([{ state: 'cancelled', message: 'The session expired without a connection.' }]);
  });

  it('ends it once when the session is closed before', async () => {
    const { clock, operations, operation } = open();

    operations.end('hash', 'Closed.');
    operations.end('hash', 'Closed again.');
    await clock.advance(60 * MINUTE_MS);

    expect(operation.ends).toEqual([{ state: 'cancelled', message: 'Closed.' }]);
  });

  it('lets a session end in silence after the failure of its attempt', async () => {
    const { clock, operations, operation } = open();

    operations.fail('hash', { message: 'No.' });
    operations.fail('hash', { message: 'No again.' });
    await clock.advance(30 * MINUTE_MS);

    expect(operation.ends).toEqual([{ state: 'failed', message: undefined }]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('follows no more than 5,000 sessions: the oldest ends in the log', () => {
    const { clock, operations, operation } = open();
    for (let n = 1; n < 5000; n++) operations.add(`hash-${n}`, followed(), 30 * MINUTE_MS);
    expect(operation.ends).toEqual([]);

    operations.add('hash-5000', followed(), 30 * MINUTE_MS);

    expect(operation.ends).toMatchObject([{ state: 'cancelled' }]);
    expect(clock.pendingTimers).toBe(5000);
    operations.stop();
  });

  it('leaves no timer behind when it stops', async () => {
    const { clock, operations, operation } = open();

    operations.stop();

    expect(clock.pendingTimers).toBe(0);
    expect(operation.ends).toEqual([]);
  });
});
