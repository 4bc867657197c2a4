import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { EventBroadcaster } from './event-broadcaster.ts';

const stops: Array<() => void> = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** Opens the stream of environment 1 over a real connection. */
async function openStream(broadcaster: EventBroadcaster): Promise<ReadableStreamDefaultReader<Uint8Array>> {
  const server = createServer((_request, response) => broadcaster.open(1, response, undefined));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => server.close());
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const reader = response.body?.getReader();
  if (!reader) throw new Error('The stream has no body.');
  return reader;
}

async function next(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string | undefined> {
  const { value } = await reader.read();
  return value && new TextDecoder().decode(value);
}

describe('EventBroadcaster', () => {
  it('writes a comment at once and every 15 s, so that the connection stays open', async () => {
    const clock = new FakeClock();
    const broadcaster = new EventBroadcaster({ clock, epoch: 'now' });
    const reader = await openStream(broadcaster);

    expect(await next(reader)).toBe(':\n\n');
    for (let count = 0; count < 2; count += 1) {
      await clock.advance(15_000);
      expect(await next(reader)).toBe(':\n\n');
    }
    broadcaster.stop();
    expect(await next(reader)).toBeUndefined();
    expect(clock.pendingTimers).toBe(0);
  });

  it('keeps environments apart', async () => {
    const broadcaster = new EventBroadcaster({ clock: new FakeClock(), epoch: 'now' });
    const reader = await openStream(broadcaster);
    await next(reader);
    const event = { integrationKey: 'crm', change: 'created' as const };

    expect([broadcaster.hasListeners(1), broadcaster.hasListeners(2)]).toEqual([true, false]);
    broadcaster.publish(2, 'connection', { ...event, connectionId: 'elsewhere' });
    broadcaster.publish(1, 'connection', { ...event, connectionId: 'here' });

    expect(await next(reader)).toBe(
      'id: now-1\nevent: connection\ndata: {"integrationKey":"crm","change":"created","connectionId":"here"}\n\n',
    );
    broadcaster.stop();
  });
});
