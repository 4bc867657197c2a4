import { describe, expect, it } from 'vitest';
import { SseParser } from './sse-parser.ts';

describe('SseParser', () => {
  it('joins an event that arrives in pieces', () => {
    const parser = new SseParser();

    const first = parser.push('id: 7\nevent: health\nda');
    const second = parser.push('ta: {"a":1}\n\n');

    expect(first).toEqual([]);
    expect(second).toEqual([{ id: '7', event: 'health', data: '{"a":1}' }]);
  });

  it('ignores heartbeats and joins several data lines', () => {
    const parser = new SseParser();

    const events = parser.push(': beat\n\ndata: one\ndata: two\n\n');

    expect(events).toEqual([{ id: undefined, event: 'message', data: 'one\ntwo' }]);
  });

  it('reads CRLF line ends', () => {
    expect(new SseParser().push('event: reset\r\ndata: {}\r\n\r\n')).toEqual([
      { id: undefined, event: 'reset', data: '{}' },
    ]);
  });
});
