import { describe, expect, it } from 'vitest';
import { BUFFER_LIMITS, type BufferedMessage, LogBuffer } from './log-buffer.ts';
import type { OperationRow } from './operations.store.ts';

const operation = (id: string): OperationRow => ({ id }) as OperationRow;

function message(level: string, text: string, sizeBytes = 10): BufferedMessage {
  const row = { operationId: 'op', createdAt: 1, level, type: 'log', source: 'internal', message: text };
  return { row: { ...row, context: null, durationMs: null, details: null }, sizeBytes };
}

const textsOf = (messages: BufferedMessage[]): string[] => messages.map(({ row }) => `${row.level} ${row.message}`);

describe('LogBuffer', () => {
  it('holds back messages while operations are left over, so that none comes before its operation', () => {
    const buffer = new LogBuffer({ ...BUFFER_LIMITS, batchEntries: 2 });
    for (const id of ['a', 'b', 'c']) buffer.touch(operation(id), 10);
    buffer.push(message('info', 'hello'));

    const first = buffer.takeBatch(0);
    const second = buffer.takeBatch(0);

    expect([first.operations.length, first.messages.length]).toEqual([2, 0]);
    expect([second.operations.length, second.messages.length]).toEqual([1, 1]);
  });

  it('ends a batch before it gets too large', () => {
    const buffer = new LogBuffer({ ...BUFFER_LIMITS, batchBytes: 25 });
    for (const text of ['1', '2', '3']) buffer.push(message('info', text));

    expect(buffer.takeBatch(0).messages).toHaveLength(2);
    expect(buffer.takeBatch(0).messages).toHaveLength(1);
  });

  it('drops debug and info messages first, and writes how many as a warning', () => {
    const buffer = new LogBuffer({ ...BUFFER_LIMITS, messages: 3 });
    for (const level of ['debug', 'error', 'info']) buffer.push(message(level, 'first'));

    buffer.push(message('info', 'too late'));
    buffer.push(message('warn', 'kept'));

    expect(textsOf(buffer.takeBatch(5).messages)).toEqual([
      'error first',
      'warn kept',
      'warn 3 messages were dropped here: they came faster than they could be stored.',
    ]);
    expect(buffer.isEmpty).toBe(true);
  });

  it('counts bytes too', () => {
    const buffer = new LogBuffer({ ...BUFFER_LIMITS, messageBytes: 100 });
    buffer.push(message('error', 'kept', 60));
    buffer.push(message('error', 'dropped', 60));

    expect(textsOf(buffer.takeBatch(5).messages)[1]).toContain('1 message was dropped');
  });

  it('drops the oldest operations beyond its limit and counts them once', () => {
    const buffer = new LogBuffer({ ...BUFFER_LIMITS, operations: 2 });
    for (const id of ['a', 'b', 'c']) buffer.touch(operation(id), 10);

    expect(buffer.takeDroppedOperations()).toBe(1);
    expect(buffer.takeDroppedOperations()).toBe(0);
    expect(buffer.takeBatch(0).operations.map(({ row }) => row.id)).toEqual(['b', 'c']);
  });

  it('drops old operations when their details take too much memory, as they grow', () => {
    const buffer = new LogBuffer({ ...BUFFER_LIMITS, operationBytes: 100 });
    buffer.touch(operation('a'), 40);
    buffer.touch(operation('b'), 40);
    buffer.touch(operation('b'), 70);

    expect(buffer.takeDroppedOperations()).toBe(1);
    expect(buffer.takeBatch(0).operations.map(({ row }) => row.id)).toEqual(['b']);
  });

  it('puts a failed batch back in front of what came since', () => {
    const buffer = new LogBuffer(BUFFER_LIMITS);
    buffer.touch(operation('a'), 10);
    buffer.push(message('info', '1'));
    const batch = buffer.takeBatch(0);
    buffer.touch(operation('b'), 10);
    buffer.push(message('info', '2'));

    buffer.putBack(batch);
    const again = buffer.takeBatch(0);

    expect(again.operations.map(({ row }) => row.id)).toEqual(['a', 'b']);
    expect(textsOf(again.messages)).toEqual(['info 1', 'info 2']);
  });
});
