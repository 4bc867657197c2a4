import { describe, expect, it } from 'vitest';
import { SpanQueue } from './telemetry-service.ts';

describe('SpanQueue', () => {
  it('gives the oldest first', () => {
    const queue = new SpanQueue(100);
    for (const span of ['a', 'b', 'c']) queue.push(span);

    expect(queue.take(2)).toEqual(['a', 'b']);
    expect(queue.size).toBe(1);
    expect(queue.take(2)).toEqual(['c']);
  });

  it('drops the oldest when its bytes do not suffice, and says how many', () => {
    const queue = new SpanQueue(10);
    expect(queue.push('12345')).toBe(0);
    expect(queue.push('12345')).toBe(0);

    expect(queue.push('6789')).toBe(1);
    expect(queue.push('ééé')).toBe(1);
    expect(queue.take(9)).toEqual(['6789', 'ééé']);
  });

  it('takes back what could not be sent, before what came meanwhile', () => {
    const queue = new SpanQueue(6);
    queue.push('aa');
    queue.push('bb');
    const taken = queue.take(2);
    queue.push('cc');
    queue.push('dd');

    expect(queue.putBack(taken)).toBe(1);
    expect(queue.take(9)).toEqual(['bb', 'cc', 'dd']);
    expect(queue.push('123456')).toBe(0);
  });

  it('does not keep a span that is larger than itself', () => {
    const queue = new SpanQueue(3);
    expect(queue.push('1234')).toBe(1);
    expect(queue.size).toBe(0);
  });
});
