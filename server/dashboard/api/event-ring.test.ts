import { describe, expect, it } from 'vitest';
import { EventRing } from './event-broadcaster.ts';

const change = (connectionId: string) => ({ integrationKey: 'crm', connectionId, change: 'created' as const });

function fill(ring: EventRing, count: number): void {
  for (let number = 1; number <= count; number += 1) ring.add('connection', change(`c${number}`));
}

describe('EventRing', () => {
  it('gives what came after an event, in order', () => {
    const ring = new EventRing({ size: 3, epoch: 'now' });
    fill(ring, 5);

    expect(ring.since('now-3')?.map((event) => event.id)).toEqual(['now-4', 'now-5']);
    expect(ring.since('now-2')?.map((event) => event.id)).toEqual(['now-3', 'now-4', 'now-5']);
    expect(ring.since('now-5')).toEqual([]);
  });

  it('knows when it has forgotten, and never believes ids of another start or of the future', () => {
    const ring = new EventRing({ size: 3, epoch: 'now' });
    fill(ring, 5);

    for (const id of ['now-1', 'then-4', 'now-6', 'now--1', 'now-x', 'now-', ''])
      expect(ring.since(id)).toBeUndefined();
  });

  it('writes an event as one block, whatever its text holds', () => {
    const ring = new EventRing({ size: 3, epoch: 'now' });

    expect(ring.add('connection', change('a\n\ndata: b')).text).toBe(
      'id: now-1\nevent: connection\ndata: {"integrationKey":"crm","connectionId":"a\\n\\ndata: b","change":"created"}\n\n',
    );
  });
});
