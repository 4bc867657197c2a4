import type { Database, Writable } from '../../database/database.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Scheduler } from '../../scheduler/scheduler.ts';
import type {
  DeliveryStep,
  WebhookDeliveriesStore,
  WebhookDeliveryRow,
} from '../../stores/webhook-deliveries-store.ts';
import type { Vault } from '../../vault/vault.ts';
import type { EnvironmentService } from '../environment/environment-service.ts';
import type { DeliveryContent } from './delivery.ts';
import type { DeliveryLog } from './delivery-log.ts';
import { nextStep } from './delivery-steps.ts';
import { signatureHeaders } from './webhook-headers.ts';
import type { WebhookRequest, WebhookSender } from './webhook-sender.ts';

/** Kind of the job that makes one attempt. */
export const DELIVER_WEBHOOK = 'deliver-webhook';

/** Payload of a job: the attempt it is to make. */
export interface DeliveryJob extends DeliveryStep {
  deliveryId: string;
}

export interface DeliveryRunnerOptions {
  database: Database;
  deliveries: WebhookDeliveriesStore;
  vault: Vault;
  clock: Clock;
  ids: Ids;
  scheduler: Scheduler;
  environments: Pick<EnvironmentService, 'revealSigningKey'>;
  sender: WebhookSender;
  log: DeliveryLog;
  userAgent: string;
}

/**
 * Carries webhooks to their destinations, one job per attempt. What an attempt came to and the job of the next one
 * are stored together, so that a restart repeats at most the attempt that it cut off.
 */
export class DeliveryRunner {
  readonly #options: DeliveryRunnerOptions;

  constructor(options: DeliveryRunnerOptions) {
    this.#options = options;
  }

  async enqueue(tx: Writable, environmentId: number, content: DeliveryContent): Promise<void> {
    const { clock, deliveries, ids, vault } = this.#options;
    const id = ids.uuid();
    const first = { destination: 0, attempt: 1 };
    const sealed = vault.sealJson(content, sealContext(id));
    await deliveries.insert(tx, { id, environmentId, content: sealed, failures: 0, ...first, now: clock.now() });
    await this.#enqueueAttempt(tx, { deliveryId: id, ...first }, content, 0);
  }

  async attempt(job: DeliveryJob, signal: AbortSignal): Promise<void> {
    const { database, deliveries, log, sender, vault } = this.#options;
    const row = await deliveries.find(database.reader, job.deliveryId);
    // Made already, by a job whose end the last process could not store.
    if (!row || row.destination !== job.destination || row.attempt !== job.attempt) return;
    const content = vault.openJson<DeliveryContent>(row.content, sealContext(row.id));
    const request = await this.#requestOf(row, content);
    const operation = log.begin(row.id, row.environmentId, content.log);
    const sent = await sender.send(request, signal);
    const { next, failures } = nextStep(row, sent.verdict, content.destinations.length);
    await database.transaction(async (tx) => {
      if (!next) return deliveries.remove(tx, row.id);
      const { waitMs, ...step } = next;
      await deliveries.updateStep(tx, row.id, step);
      const { destination, attempt } = step;
      await this.#enqueueAttempt(tx, { deliveryId: row.id, destination, attempt }, content, waitMs);
    });
    log.attempt(operation, content.log, { request, attempt: row.attempt, sent, next });
    if (!next) log.end(row.id, operation, { failures, destinations: content.destinations.length });
  }

  async #requestOf(row: WebhookDeliveryRow, content: DeliveryContent): Promise<WebhookRequest> {
    const { environments, userAgent } = this.#options;
    const { body, destinations, headers } = content;
    const key = await environments.revealSigningKey(row.environmentId);
    return {
      url: destinations[row.destination] ?? '',
      body,
      headers: {
        ...headers,
        'content-type': 'application/json',
        'user-agent': userAgent,
        ...signatureHeaders(key, body),
      },
    };
  }

  /** Grouped by destination: a slow one keeps only its own deliveries waiting. */
  async #enqueueAttempt(tx: Writable, job: DeliveryJob, content: DeliveryContent, waitMs: number): Promise<void> {
    const { clock, scheduler, vault } = this.#options;
    await scheduler.enqueue(tx, {
      kind: DELIVER_WEBHOOK,
      payload: job,
      // An address may hold a password or a token.
      group: vault.lookupHash(content.destinations[job.destination] ?? ''),
      runAt: clock.now() + waitMs,
    });
  }
}

function sealContext(deliveryId: string): string {
  return `webhook-delivery:${deliveryId}`;
}
