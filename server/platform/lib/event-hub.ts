/** Where a service emits its events. */
export type EventSink<Events extends object> = Pick<EventHub<Events>, 'emit'>;

type Listener<T> = (event: T) => void;

/**
 * Broadcasts events to listeners. Events never steer control flow: a listener that throws is reported and does not
 * reach the sender.
 */
export class EventHub<Events extends object> {
  readonly #listeners = new Map<keyof Events, Set<Listener<never>>>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Adds a listener. Returns a function that removes it. */
  on<K extends keyof Events>(name: K, listener: Listener<Events[K]>): () => void {
    const set = this.#listeners.get(name) ?? new Set<Listener<never>>();
    this.#listeners.set(name, set);
    set.add(listener as Listener<never>);
    return () => set.delete(listener as Listener<never>);
  }

  emit<K extends keyof Events>(name: K, event: Events[K]): void {
    for (const listener of this.#listeners.get(name) ?? []) {
      try {
        (listener as Listener<Events[K]>)(event);
      } catch (error) {
        this.#onError(error);
      }
    }
  }
}
