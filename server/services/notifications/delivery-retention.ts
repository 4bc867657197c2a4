import type { Database } from '../../database/database.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import { PeriodicSweep } from '../../lib/periodic-sweep.ts';
import type { WebhookDeliveriesStore } from '../../stores/webhook-deliveries-store.ts';
import type { EnvironmentService } from '../environment/environment-service.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Deliveries per transaction: other writers wait behind one slice only. */
const SLICE = 200;

export interface DeliveryRetentionOptions {
  database: Database;
  deliveries: WebhookDeliveriesStore;
  environments: Pick<EnvironmentService, 'list'>;
  clock: Clock;
  logger: Logger;
}

/** Removes webhooks that ended long ago, with their attempts, once an hour. */
export class DeliveryRetention {
  readonly #options: DeliveryRetentionOptions;
  readonly #sweeps: PeriodicSweep;

  constructor(options: DeliveryRetentionOptions) {
    this.#options = options;
    this.#sweeps = new PeriodicSweep({
      ...options,
      intervalMs: HOUR_MS,
      sweep: (isStopped) => this.sweep(isStopped),
      complaint: 'Old webhooks could not be removed; trying again in an hour.',
    });
  }

  start(): void {
    this.#sweeps.start();
  }

  stop(): Promise<void> {
    return this.#sweeps.stop();
  }

  /** Removes everything that is too old now; returns how many. What is under way is never too old. */
  async sweep(isStopped = (): boolean => false): Promise<number> {
    const { clock, database, deliveries, environments } = this.#options;
    let removed = 0;
    for (const { id: environmentId, settings } of environments.list()) {
      if (settings.webhookRetentionDays === null) continue;
      const before = clock.now() - settings.webhookRetentionDays * DAY_MS;
      let count: number;
      do {
        if (isStopped()) return removed;
        count = await database.transaction((tx) =>
          deliveries.removeFinished(tx, { environmentId, before, limit: SLICE }),
        );
        removed += count;
      } while (count === SLICE);
    }
    return removed;
  }
}
