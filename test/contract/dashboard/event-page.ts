import { expect } from 'vitest';
import { type DashboardEventName, dashboardEvents } from '../../../server/contract/dashboard/dashboard-events.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { DashboardClient } from './dashboard-client.ts';

interface ReceivedEvent {
  id: string;
  name: DashboardEventName;
  data: unknown;
}

/** Reads a stream as a page does; every event is checked against the contract. */
export class EventPage {
  readonly events: ReceivedEvent[] = [];
  hasEnded = false;
  readonly #abort = new AbortController();

  static async open(client: DashboardClient, lastEventId?: string): Promise<EventPage> {
    const page = new EventPage();
    const response = await fetch(`${client.url}/api/v1/events?env=dev`, {
      headers: { ...client.headers, ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }) },
      signal: page.#abort.signal,
    });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    void page.#read(response).catch(() => {});
    return page;
  }

  of(name: DashboardEventName): unknown[] {
    return this.events.filter((event) => event.name === name).map((event) => event.data);
  }

  async seen(name: DashboardEventName, count = 1): Promise<void> {
    await waitFor(async () => this.of(name).length >= count, { what: `${count} events "${name}"` });
  }

  close(): void {
    this.#abort.abort();
  }

  async #read(response: Response): Promise<void> {
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) this.#take(block);
    }
    this.hasEnded = true;
  }

  #take(block: string): void {
    const fields = Object.fromEntries(
      block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
    );
    if (fields['data'] === undefined) return;
    const name = fields['event'] as DashboardEventName;
    const data: unknown = JSON.parse(fields['data']);
    expect(dashboardEvents[name].parse(data)).toEqual(data);
    this.events.push({ id: fields['id'] ?? '', name, data });
  }
}
