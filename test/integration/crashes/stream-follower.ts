import type { AnyFunctionHub } from '../../support/function-hub.ts';
import { waitFor } from '../../support/wait-for.ts';

interface StreamRecord {
  id: string;
  revision: number;
  _nango_metadata: { cursor: string; last_modified_at: string; last_action: string };
}

/** A consumer: reads the change stream while there is more, keeps its last cursor, and waits while the server is down. */
export class StreamFollower {
  /** Revision by id, according to the stream. */
  readonly live = new Map<string, number>();
  /** Number of interruptions of the server. */
  interruptions = 0;
  /** Observations that no consumer should ever make. */
  readonly complaints: string[] = [];
  readonly #hub: AnyFunctionHub;
  readonly #model: string;
  #cursor: string | undefined;
  #lastModifiedAt = '';
  #emptyPages = 0;
  #isStopped = false;
  #reading: Promise<void> = Promise.resolve();

  constructor(hub: AnyFunctionHub, model: string) {
    this.#hub = hub;
    this.#model = model;
  }

  start(): void {
    this.#reading = this.#readOn();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#reading;
  }

  /** Resolves when it has read everything that existed at the call. */
  async caughtUp(): Promise<void> {
    const before = this.#emptyPages;
    await waitFor(() => this.#emptyPages > before + 1, { what: 'the end of the change stream' });
  }

  async #readOn(): Promise<void> {
    let wasThere = true;
    while (!this.#isStopped) {
      try {
        await this.#readPage();
        wasThere = true;
      } catch {
        // The server is down, which is the subject of the test.
        if (wasThere) this.interruptions += 1;
        wasThere = false;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  }

  async #readPage(): Promise<void> {
    const cursor = this.#cursor === undefined ? '' : `&cursor=${encodeURIComponent(this.#cursor)}`;
    const { status, body } = await this.#hub.records(`model=${this.#model}&limit=300${cursor}`);
    if (status !== 200) return void this.complaints.push(`${status} ${JSON.stringify(body)}`);
    for (const record of body.records as StreamRecord[]) this.#take(record);
    if (body.records.length > 0) return;
    this.#emptyPages += 1;
    // No new records: those that are written meanwhile are read as one page.
    await new Promise((resolve) => setTimeout(resolve, 50));
  }

  #take({ id, revision, _nango_metadata: metadata }: StreamRecord): void {
    if (metadata.last_modified_at <= this.#lastModifiedAt)
      this.complaints.push(`${id} of ${metadata.last_modified_at} after ${this.#lastModifiedAt}`);
    this.#lastModifiedAt = metadata.last_modified_at;
    this.#cursor = metadata.cursor;
    if (metadata.last_action === 'DELETED') this.live.delete(id);
    else this.live.set(id, revision);
  }
}
