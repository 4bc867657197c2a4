import type { Database, Transaction } from '../../database/database.ts';
import type { Clock, Timer } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import { IncomingWebhooksStore } from '../../stores/incoming-webhooks-store.ts';
import type { EnvironmentService } from '../environment/environment-service.ts';

export interface WebhookRetentionOptions {
  database: Pick<Database, 'transaction'>;
  environments: Pick<EnvironmentService, 'list'>;
  clock: Clock;
  logger: Logger;
  limits?: Partial<WebhookLimits>;
}

export interface WebhookLimits {
  /** Limit for all bodies together; the oldest are removed first. */
  bodiesBytes: number;
  /** Number of webhooks kept, whatever their age. */
  count: number;
}

const LIMITS: WebhookLimits = { bodiesBytes: 256 * 1_048_576, count: 50_000 };
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Webhooks per transaction: other writers wait for one slice only. */
const SLICE = 500;

/**
 * Keeps the stored webhooks within their limits of days, number and bytes, because everyone who knows the address can
 * send.
 */
export class WebhookRetention {
  readonly #options: WebhookRetentionOptions;
  readonly #webhooks = new IncomingWebhooksStore();
  readonly #limits: WebhookLimits;
  /** Bytes of bodies, as known since the last sweep. */
  #bodiesBytes = 0;
  #countSince = 0;
  #timer: Timer | undefined;
  #sweeping: Promise<void> | undefined;
  #isStopped = false;

  constructor(options: WebhookRetentionOptions) {
    this.#options = options;
    this.#limits = { ...LIMITS, ...options.limits };
  }

  start(): void {
    this.#begin();
    this.#arm();
  }

  /** Waits for the running slice; the next start does the rest. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#sweeping;
  }

  /** Counts a stored webhook, so that the bytes are limited between two sweeps as well. */
  note(sizeBytes: number): void {
    this.#bodiesBytes += sizeBytes;
    this.#countSince += 1;
    const slack = 1.125;
    if (this.#bodiesBytes > this.#limits.bodiesBytes * slack || this.#countSince > this.#limits.count / 8)
      this.#begin();
  }

  #arm(): void {
    this.#timer = this.#options.clock.after(HOUR_MS, () => this.start());
  }

  #begin(): void {
    if (this.#isStopped || this.#sweeping) return;
    this.#sweeping = this.#sweep()
      .catch((error: unknown) =>
        this.#options.logger.error({ err: error }, 'Old webhooks could not be removed; trying again in an hour.'),
      )
      .finally(() => {
        this.#sweeping = undefined;
      });
  }

  async #sweep(): Promise<void> {
    const { clock, environments } = this.#options;
    this.#countSince = 0;
    for (const { id: environmentId, settings } of environments.list()) {
      if (settings.webhookRetentionDays === null) continue;
      const before = clock.now() - settings.webhookRetentionDays * DAY_MS;
      await this.#inSlices((tx) => this.#webhooks.removeOlderThan(tx, { environmentId, before, limit: SLICE }));
    }
    await this.#inSlices((tx) => this.#webhooks.removeBeyond(tx, { keep: this.#limits.count, limit: SLICE }));
    this.#bodiesBytes = await this.#options.database.transaction((tx) =>
      this.#webhooks.dropBodiesBeyond(tx, this.#limits.bodiesBytes),
    );
  }

  async #inSlices(remove: (tx: Transaction) => Promise<number>): Promise<void> {
    while (!this.#isStopped && (await this.#options.database.transaction(remove)) === SLICE);
  }
}
