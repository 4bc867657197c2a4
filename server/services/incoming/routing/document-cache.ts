import { SingleFlight } from '../../../lib/single-flight.ts';
import type { FetchedDocument } from './webhook-routing.ts';

export interface DocumentCacheOptions {
  fetch: (url: string) => Promise<FetchedDocument>;
  /** Milliseconds since the epoch. */
  now: () => number;
}

/** Addresses stand in webhooks, which anyone may send. */
const MOST_DOCUMENTS = 100;

/** Keeps public documents until the moment that their `expires` header names; the others are fetched each time. */
export class DocumentCache {
  readonly #options: DocumentCacheOptions;
  readonly #kept = new Map<string, { document: FetchedDocument; until: number }>();
  readonly #fetches = new SingleFlight<FetchedDocument>();

  constructor(options: DocumentCacheOptions) {
    this.#options = options;
  }

  /** Rejects when the document is not at hand and cannot be had. */
  async fetch(url: string): Promise<FetchedDocument> {
    const kept = this.#kept.get(url);
    if (kept && kept.until > this.#options.now()) return kept.document;
    this.#kept.delete(url);
    return this.#fetches.run(url, () => this.#fetchAnew(url));
  }

  async #fetchAnew(url: string): Promise<FetchedDocument> {
    const document = await this.#options.fetch(url);
    const until = Date.parse(document.headers['expires'] ?? '');
    if (until > this.#options.now()) this.#keep(url, document, until);
    return document;
  }

  #keep(url: string, document: FetchedDocument, until: number): void {
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= MOST_DOCUMENTS && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(url, { document, until });
  }
}
