import type { DashboardEventName } from '../../contract/dashboard/dashboard-events.ts';

/** One event in its wire form. The text is made once, when the first page needs it. */
export class StreamEvent {
  readonly id: string;
  readonly #name: DashboardEventName;
  readonly #data: unknown;
  #text: string | undefined;

  constructor(id: string, name: DashboardEventName, data: unknown) {
    this.id = id;
    this.#name = name;
    this.#data = data;
  }

  get text(): string {
    this.#text ??= `id: ${this.id}\nevent: ${this.#name}\ndata: ${JSON.stringify(this.#data)}\n\n`;
    return this.#text;
  }
}

/** The newest events of one environment, numbered, for pages that reconnect. */
export class EventRing {
  readonly #size: number;
  /** Distinguishes ids of this start from ids of an earlier one. */
  readonly #epoch: string;
  readonly #events: StreamEvent[] = [];
  #count = 0;

  constructor(options: { size: number; epoch: string }) {
    this.#size = options.size;
    this.#epoch = options.epoch;
  }

  get lastId(): string {
    return `${this.#epoch}-${this.#count}`;
  }

  add(name: DashboardEventName, data: unknown): StreamEvent {
    this.#count += 1;
    const event = new StreamEvent(this.lastId, name, data);
    this.#events[this.#count % this.#size] = event;
    return event;
  }

  /** Returns the events after the given id; undefined when they are no longer kept. */
  since(id: string): StreamEvent[] | undefined {
    const [epoch, number] = id.split('-');
    const seen = Number(number);
    if (epoch !== this.#epoch || !Number.isInteger(seen) || seen < 0 || seen > this.#count) return undefined;
    if (this.#count - seen > this.#size) return undefined;
    return Array.from(
      { length: this.#count - seen },
      (_, index) => this.#events[(seen + 1 + index) % this.#size],
    ).filter((event) => event !== undefined);
  }
}
