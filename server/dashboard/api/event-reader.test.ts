import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { EventReader, EventRing } from './event-broadcaster.ts';

/** A page that reads only on request. */
class SlowPage extends Writable {
  text = '';
  #goOn: (() => void) | undefined;

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    this.#goOn = done;
  }

  async readAll(): Promise<void> {
    while (this.writableLength > 0) {
      this.#goOn?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

describe('EventReader', () => {
  it('drops what a slow page cannot take and then tells it to fetch again', async () => {
    const page = new SlowPage();
    const ring = new EventRing({ size: 100, epoch: 'now' });
    const reader = new EventReader(page, () => ring.lastId);
    const name = 'x'.repeat(100_000);

    for (let count = 0; count < 50; count += 1)
      reader.send(ring.add('connection', { integrationKey: name, connectionId: 'c', change: 'updated' }));
    expect(page.writableLength).toBeLessThan(1.3 * 1024 * 1024);
    await page.readAll();

    expect(page.text.endsWith('id: now-50\nevent: reset\ndata: {}\n\n')).toBe(true);
    reader.send(ring.add('connection', { integrationKey: 'crm', connectionId: 'c', change: 'updated' }));
    await page.readAll();
    expect(page.text).toContain('id: now-51\n');
  });
});
