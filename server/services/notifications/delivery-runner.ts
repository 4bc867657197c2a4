import type { Database, Writable } from '../../database/database.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Scheduler } from '../../scheduler/scheduler.ts';
import type { WebhookAttemptsStore } from '../../stores/webhook-attempts-store.ts';
import type {
  DeliveryProgress,
  DeliveryState,
  DeliveryStep,
  StoredDelivery,
  WebhookDeliveriesStore,
} from '../../stores/webhook-deliveries-store.ts';
import type { Vault } from '../../vault/vault.ts';
import type { EnvironmentService } from '../environment/environment-service.ts';
import type { Delivery } from './delivery.ts';
import type { DeliveryLog } from './delivery-log.ts';
import { openContent, openDestinations, type SaidAnswer, sealAnswer, sealDelivery } from './delivery-seal.ts';
import { type NextStep, nextStep } from './delivery-steps.ts';
import { requestHeaders } from './webhook-headers.ts';
import type { SentWebhook, WebhookRequest, WebhookSender } from './webhook-sender.ts';

/** Kind of the job that makes one attempt. */
export const DELIVER_WEBHOOK = 'deliver-webhook';

/** Payload of a job: the attempt it is to make. */
export interface DeliveryJob extends DeliveryStep {
  deliveryId: string;
}

/** A delivery began, went on or ended. */
export interface DeliveryChange {
  environmentId: number;
  id: string;
  state: DeliveryState;
}

export interface DeliveryRunnerOptions {
  database: Database;
  deliveries: WebhookDeliveriesStore;
  attempts: WebhookAttemptsStore;
  vault: Vault;
  clock: Clock;
  ids: Ids;
  scheduler: Scheduler;
  environments: Pick<EnvironmentService, 'revealSigningKey'>;
  sender: WebhookSender;
  log: DeliveryLog;
  userAgent: string;
  onChanged?: ((change: DeliveryChange) => void) | undefined;
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

  /** Answers with the id of the delivery; `waitMs` puts off its first attempt. */
  async enqueue(tx: Writable, delivery: Delivery, waitMs = 0): Promise<string> {
    const { clock, deliveries, ids, vault } = this.#options;
    const { environmentId, type, cause, originId = null, content, destinations } = delivery;
    const { integrationKey = null, connectionId = null, message } = content.log.start;
    const id = ids.uuid();
    const first = { destination: 0, attempt: 1 };
    const now = clock.now();
    await deliveries.insert(tx, {
      ...{ id, environmentId, type, cause, originId, integrationKey, connectionId, message },
      ...sealDelivery(vault, id, { destinations, content }),
      ...first,
      createdAt: now,
      nextAttemptAt: now + waitMs,
    });
    await this.#enqueueAttempt(tx, { deliveryId: id, ...first }, destinations, now + waitMs);
    this.#tell(tx, { environmentId, id, state: 'waiting' });
    return id;
  }

  async attempt(job: DeliveryJob, signal: AbortSignal): Promise<void> {
    const { clock, database, deliveries, log, sender, vault } = this.#options;
    const row = await deliveries.find(database.reader, job.deliveryId);
    // Made already, by a job whose end the last process could not store.
    if (row?.state !== 'waiting' || row.destination !== job.destination || row.attempt !== job.attempt) return;
    const content = openContent(vault, row);
    const destinations = openDestinations(vault, row);
    const request = await this.#requestOf(row, destinations, content);
    const operation = log.begin(row.id, row.environmentId, content.log);
    const startedAt = clock.now();
    const sent = await sender.send(request, signal);
    const { next, failures } = nextStep(row, sent.verdict, destinations.length);
    const state = next ? 'waiting' : failures === 0 ? 'delivered' : 'failed';
    await database.transaction(async (tx) => {
      await this.#storeAttempt(tx, row, { url: request.url, startedAt, sent });
      const progress = progressOf(row, sent, { next, now: clock.now() });
      await deliveries.updateProgress(tx, row.seq, { ...progress, state, failures, operationId: operation.id });
      if (next) {
        const { destination, attempt } = next;
        const job = { deliveryId: row.id, destination, attempt };
        await this.#enqueueAttempt(tx, job, destinations, progress.nextAttemptAt ?? 0);
      }
      this.#tell(tx, { environmentId: row.environmentId, id: row.id, state });
    });
    log.attempt(operation, content.log, { request, attempt: row.attempt, sent, next });
    if (!next) log.end(row.id, operation, { failures, destinations: destinations.length });
  }

  async #requestOf(
    row: StoredDelivery,
    destinations: readonly string[],
    { body, headers }: Delivery['content'],
  ): Promise<WebhookRequest> {
    const { environments, userAgent } = this.#options;
    const key = await environments.revealSigningKey(row.environmentId);
    return {
      url: destinations[row.destination] ?? '',
      body,
      headers: requestHeaders({ headers, body, key, userAgent }),
    };
  }

  async #storeAttempt(
    tx: Writable,
    { seq, id, destination, attempt }: StoredDelivery,
    { url, startedAt, sent }: { url: string; startedAt: number; sent: SentWebhook },
  ): Promise<void> {
    const { attempts, vault } = this.#options;
    const { response, error } = sent;
    const said: SaidAnswer = {
      url,
      ...(response
        ? { headers: response.headers, body: response.body, isBodyCut: response.isBodyCut }
        : { problem: error?.message ?? 'no answer' }),
    };
    await attempts.insert(tx, seq, {
      destination,
      attempt,
      startedAt,
      durationMs: sent.durationMs,
      code: response?.code ?? null,
      error: error?.code ?? null,
      answer: sealAnswer(vault, id, { destination, attempt }, said),
    });
  }

  #tell(tx: Writable, change: DeliveryChange): void {
    tx.afterCommit(() => this.#options.onChanged?.(change));
  }

  /** Grouped by destination: a slow one keeps only its own deliveries waiting. */
  async #enqueueAttempt(tx: Writable, job: DeliveryJob, destinations: readonly string[], runAt: number): Promise<void> {
    const { scheduler, vault } = this.#options;
    await scheduler.enqueue(tx, {
      kind: DELIVER_WEBHOOK,
      payload: job,
      // An address may hold a password or a token.
      group: vault.lookupHash(destinations[job.destination] ?? ''),
      runAt,
    });
  }
}

/** Where the delivery stands after an attempt; over, it stays at its last one. */
function progressOf(
  { destination, attempt }: DeliveryStep,
  { response, error, durationMs }: SentWebhook,
  { next, now }: { next: NextStep | undefined; now: number },
): Omit<DeliveryProgress, 'state' | 'failures' | 'operationId'> {
  return {
    destination: next?.destination ?? destination,
    attempt: next?.attempt ?? attempt,
    lastCode: response?.code ?? null,
    lastError: error?.code ?? null,
    lastDurationMs: durationMs,
    nextAttemptAt: next ? now + next.waitMs : null,
    finishedAt: next ? null : now,
  };
}
