import type { EnvironmentService } from '../environments/environment.service.ts';
import type { Database, Transaction } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import type { EventSink } from '../platform/lib/event-hub.ts';
import type { Ids } from '../platform/lib/ids.ts';
import type { Scheduler } from '../platform/scheduler/scheduler.ts';
import type { Vault } from '../platform/vault/vault.ts';
import type { Delivery, DeliveryContent, DeliveryLog } from './delivery.ts';
import type { WebhookAttemptsStore } from './webhook-attempts.store.ts';
import type {
  DeliveryProgress,
  DeliveryStep,
  StoredDelivery,
  WebhookDeliveriesStore,
  WebhookDeliveryRow,
} from './webhook-deliveries.store.ts';
import type { WebhookDestinationsStore } from './webhook-destinations.store.ts';
import { requestHeaders, type SentWebhook, type WebhookRequest, type WebhookSender } from './webhook-sender.ts';

/** Kind of the job that makes one attempt. */
export const DELIVER_WEBHOOK = 'deliver-webhook';

/** Payload of a job: the attempt to make. */
export interface DeliveryJob extends DeliveryStep {
  deliveryId: string;
}

export interface DeliveryEvents {
  /** A delivery started, continued or ended. */
  webhook: { environmentId: number; direction: 'incoming' | 'outgoing'; id: string };
}

export type DeliveryRunner = ReturnType<typeof createDeliveryRunner>;

/**
 * Sends webhooks to their destinations, one job per attempt. The result of an attempt and the job of the next one are
 * stored together, so a restart repeats at most the interrupted attempt.
 */
export function createDeliveryRunner({
  database,
  webhookDeliveriesStore,
  webhookAttemptsStore,
  webhookDestinationsStore,
  vault,
  clock,
  ids,
  scheduler,
  environments,
  sender,
  log,
  userAgent,
  events,
}: {
  database: Database;
  webhookDeliveriesStore: WebhookDeliveriesStore;
  webhookAttemptsStore: WebhookAttemptsStore;
  webhookDestinationsStore: WebhookDestinationsStore;
  vault: Vault;
  clock: Clock;
  ids: Ids;
  scheduler: Scheduler;
  environments: Pick<EnvironmentService, 'find' | 'signingKeys'>;
  sender: WebhookSender;
  log: DeliveryLog;
  userAgent: string;
  events: EventSink<DeliveryEvents>;
}) {
  /** Whether the delivery is for a further destination that was deleted. */
  async function isDestinationDeleted(tx: Transaction, { webhookDestinationId: id }: StoredDelivery): Promise<boolean> {
    return id !== null && (await webhookDestinationsStore.find(tx, id)) === undefined;
  }

  /** One for each valid signing key, the newest first. */
  async function requestsOf(
    row: StoredDelivery,
    destinations: readonly string[],
    { body, headers }: Delivery['content'],
  ): Promise<[WebhookRequest, ...WebhookRequest[]]> {
    const [current, ...others] = await environments.signingKeys.listValid(row.environmentId);
    const signedWith = (key: string): WebhookRequest => ({
      url: destinations[row.destination] ?? '',
      body,
      headers: requestHeaders({ headers, body, key, userAgent }),
    });
    return [signedWith(current), ...others.map(signedWith)];
  }

  /**
   * An app that knows only the key before a rotation refuses what the new one signs, with any status. It gets the webhook
   * again at once, signed with the old key. When it refuses that too, the first answer counts.
   */
  async function send(
    [first, ...others]: [WebhookRequest, ...WebhookRequest[]],
    signal: AbortSignal,
  ): Promise<{ request: WebhookRequest; sent: SentWebhook }> {
    const sent = await sender.send(first, signal);
    if (sent.outcome === 'delivered' || !sent.response) return { request: first, sent };
    for (const request of others) {
      const again = await sender.send(request, signal);
      if (again.outcome === 'delivered') return { request, sent: again };
    }
    return { request: first, sent };
  }

  async function storeAttempt(
    tx: Transaction,
    { seq, id, destination, attempt }: StoredDelivery,
    { url, startedAt, sent }: { url: string; startedAt: number; sent: SentWebhook },
  ): Promise<void> {
    const { response, error } = sent;
    const content: AttemptResponse = {
      url,
      ...(response
        ? { headers: response.headers, body: response.body, isBodyCut: response.isBodyCut }
        : { problem: error?.message ?? 'no answer' }),
    };
    await webhookAttemptsStore.insert(tx, seq, {
      destination,
      attempt,
      startedAt,
      durationMs: sent.durationMs,
      code: response?.code ?? null,
      error: error?.code ?? null,
      response: sealResponse(vault, id, { destination, attempt }, content),
    });
  }

  function emit(tx: Transaction, { environmentId, id }: { environmentId: number; id: string }): void {
    tx.afterCommit(() => events.emit('webhook', { environmentId, direction: 'outgoing', id }));
  }

  /** Grouped by destination, so that a slow one delays only its own deliveries. */
  async function enqueueAttempt(
    tx: Transaction,
    job: DeliveryJob,
    destinations: readonly string[],
    runAt: number,
  ): Promise<void> {
    await scheduler.enqueue(tx, {
      kind: DELIVER_WEBHOOK,
      payload: job,
      // Hashed, because an address may contain a password or a token.
      group: vault.lookupHash(destinations[job.destination] ?? ''),
      runAt,
    });
  }

  return {
    /** Stores a delivery and queues its first attempt after `waitMs`. Resolves to the delivery's id. */
    async enqueue(tx: Transaction, delivery: Delivery, waitMs = 0): Promise<string> {
      const { environmentId, type, cause, originId = null, content, destinations } = delivery;
      const { incomingId = null, webhookDestinationId = null } = delivery;
      const { integrationKey = null, connectionId = null, message } = content.log.start;
      const id = ids.uuid();
      const first = { destination: 0, attempt: 1 };
      const now = clock.now();
      await webhookDeliveriesStore.insert(tx, {
        ...{ id, environmentId, type, cause, originId, incomingId, webhookDestinationId },
        ...{ integrationKey, connectionId, message },
        ...sealDelivery(vault, id, { destinations, content }),
        ...first,
        createdAt: now,
        nextAttemptAt: now + waitMs,
      });
      await enqueueAttempt(tx, { deliveryId: id, ...first }, destinations, now + waitMs);
      emit(tx, { environmentId, id });
      return id;
    },
    /** Makes one attempt and stores its result. Does nothing when the attempt was already made. */
    async attempt(job: DeliveryJob, signal: AbortSignal): Promise<void> {
      const row = await webhookDeliveriesStore.find(database.reader, job.deliveryId);
      // The attempt was already made: the last process stored its result, but not the end of its job.
      if (row?.state !== 'waiting' || row.destination !== job.destination || row.attempt !== job.attempt) return;
      // A deleted environment sends no more webhooks.
      if (!environments.find(row.environmentId)) return;
      const content = openContent(vault, row);
      const destinations = openDestinations(vault, row);
      const requests = await requestsOf(row, destinations, content);
      const operation = log.begin(row.id, row.environmentId, content.log);
      const startedAt = clock.now();
      const { request, sent } = await send(requests, signal);
      const { next, failures } = await database.transaction(async (tx) => {
        // The destination was deleted meanwhile: there is no further attempt.
        const outcome = sent.outcome === 'later' && (await isDestinationDeleted(tx, row)) ? 'refused' : sent.outcome;
        const { next, failures } = nextStep(row, outcome, destinations.length);
        const state = next ? 'waiting' : failures === 0 ? 'delivered' : 'failed';
        await storeAttempt(tx, row, { url: request.url, startedAt, sent });
        const progress = progressOf(row, sent, { next, now: clock.now() });
        await webhookDeliveriesStore.updateProgress(tx, row.seq, {
          ...progress,
          state,
          failures,
          operationId: operation.id,
        });
        if (next) {
          const { destination, attempt } = next;
          const job = { deliveryId: row.id, destination, attempt };
          await enqueueAttempt(tx, job, destinations, progress.nextAttemptAt ?? 0);
        }
        emit(tx, row);
        return { next, failures };
      });
      log.attempt(operation, content.log, { request, attempt: row.attempt, sent, next });
      if (!next) log.end(row.id, operation, { failures, destinations: destinations.length });
    },
  };
}

/** Progress of the delivery after an attempt: the next attempt, or the last one when the delivery has ended. */
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

/** Waits before the second and the third attempt; there is no fourth (webhooks.md 1.5). */
const RETRY_WAITS_MS = [3000, 6000];
export const MAX_ATTEMPTS = 1 + RETRY_WAITS_MS.length;

/** The result of an attempt: the receiver accepted the webhook, may accept it later, or refuses it. */
export type AttemptOutcome = 'delivered' | 'later' | 'refused';

export interface NextStep extends DeliveryStep {
  failures: number;
  waitMs: number;
}

/**
 * The next attempt: each destination gets all its attempts before the next destination. Undefined when the delivery has
 * ended.
 */
export function nextStep(
  current: DeliveryStep & { failures: number },
  outcome: AttemptOutcome,
  destinations: number,
): { next: NextStep | undefined; failures: number } {
  const { destination, attempt, failures } = current;
  const waitMs = outcome === 'later' ? RETRY_WAITS_MS[attempt - 1] : undefined;
  if (waitMs !== undefined) return { next: { destination, attempt: attempt + 1, failures, waitMs }, failures };
  const total = failures + (outcome === 'delivered' ? 0 : 1);
  if (destination + 1 === destinations) return { next: undefined, failures: total };
  return { next: { destination: destination + 1, attempt: 1, failures: total, waitMs: 0 }, failures: total };
}

/** The sealed part of an attempt: its address, and the response or the error. */
interface AttemptResponse {
  url: string;
  headers?: Record<string, string>;
  /** The beginning of the response's body. */
  body?: string;
  isBodyCut?: boolean;
  /** A sentence that says why there is no response. */
  problem?: string;
}

/** Seals addresses and content separately, because lists need only the addresses, and a body may be long. */
function sealDelivery(
  vault: Vault,
  id: string,
  { destinations, content }: { destinations: string[]; content: DeliveryContent },
): { destinations: string; content: string } {
  return {
    destinations: vault.sealJson(destinations, deliveryContext(id, 'destinations')),
    content: vault.sealJson(content, deliveryContext(id, 'content')),
  };
}

export function openDestinations(vault: Vault, { id, destinations }: WebhookDeliveryRow): string[] {
  return vault.openJson<string[]>(destinations, deliveryContext(id, 'destinations'));
}

export function openContent(vault: Vault, { id, content }: StoredDelivery): DeliveryContent {
  return vault.openJson<DeliveryContent>(content, deliveryContext(id, 'content'));
}

function sealResponse(vault: Vault, id: string, step: DeliveryStep, content: AttemptResponse): string {
  return vault.sealJson(content, attemptContext(id, step));
}

export function openResponse(vault: Vault, id: string, row: DeliveryStep & { response: string }): AttemptResponse {
  return vault.openJson<AttemptResponse>(row.response, attemptContext(id, row));
}

/** The context of a sealed part of a delivery. */
export function deliveryContext(id: string, part: string): string {
  return `webhook-delivery:${id}:${part}`;
}

export function attemptContext(id: string, { destination, attempt }: DeliveryStep): string {
  return deliveryContext(id, `answer:${destination}:${attempt}`);
}
