import type { Clock } from '../../lib/clock.ts';
import type { Operation, OperationAction, OperationLog, OperationStart } from '../logs/operation.ts';
import { MOST_ATTEMPTS, type NextStep } from './delivery-runner.ts';
import type { WebhookPayload } from './payloads.ts';
import { loggedHeaders, type SentWebhook, type WebhookRequest } from './webhook-sender.ts';

export type WebhookType = 'auth' | 'sync' | 'async_action' | 'forward';

/** Why a delivery exists: an event, a repetition, or a test of the receiver. */
export type DeliveryCause = 'event' | 'replay' | 'sample';

/** A webhook on its way to be queued. */
export interface Delivery {
  environmentId: number;
  type: WebhookType;
  cause: DeliveryCause;
  /** The delivery that this one repeats. */
  originId?: string;
  /** The provider's webhook that it passes on. */
  incomingId?: string | undefined;
  /** Addresses, in the order in which they are served. */
  destinations: string[];
  /** The further destination that it is for: then `destinations` holds its address alone. */
  webhookDestinationId?: string | undefined;
  content: DeliveryContent;
}

/** What is kept, sealed, of a webhook: all it takes to send it, and to send it again. */
export interface DeliveryContent {
  /** The bytes to send. */
  body: string;
  /** Headers beside those that every webhook has. */
  headers: Record<string, string>;
  log: DeliveryLogFacts;
}

export interface DeliveryLogFacts {
  /** The operation of the delivery; it is opened when the first attempt of this start of the program begins. */
  start: Omit<OperationStart, 'environmentId' | 'type' | 'action' | 'expiresAt' | 'message'> &
    LoggedAs & { message: string };
  /** Writes into this operation instead. */
  operationId?: string;
  expiresInMs?: number;
  /** The body as the log shows it. */
  shownBody: unknown;
}

export type LoggedAs = { type: 'webhook'; action: OperationAction<'webhook'> } | { type: 'action'; action: 'run' };

/** Members that may hold what people or functions wrote; the log is not sealed and must not repeat them. */
const PRIVATE_MEMBERS: ReadonlySet<string> = new Set(['error', 'endUser', 'tags', 'checkpoints', 'payload']);

export function shownPayload(payload: WebhookPayload): WebhookPayload {
  return Object.fromEntries(
    Object.entries(payload).map(([name, value]) => [
      name,
      value !== undefined && PRIVATE_MEMBERS.has(name) ? '[not logged]' : value,
    ]),
  );
}

interface LoggedAttempt {
  request: WebhookRequest;
  attempt: number;
  sent: SentWebhook;
  next: NextStep | undefined;
}

/** What the log says of deliveries (webhooks.md 1.6): an operation each, or lines in the operation of an action. */
export class DeliveryLog {
  readonly #log: OperationLog;
  readonly #clock: Clock;
  /** Operations of deliveries that are under way. */
  readonly #open = new Map<string, Operation>();

  constructor(options: { log: OperationLog; clock: Clock }) {
    this.#log = options.log;
    this.#clock = options.clock;
  }

  /** A delivery that outlived the program goes on in a new operation. */
  begin(deliveryId: string, environmentId: number, facts: DeliveryLogFacts): Operation {
    if (facts.operationId !== undefined) return this.#log.attach(facts.operationId);
    const known = this.#open.get(deliveryId);
    if (known) return known;
    const { start, expiresInMs } = facts;
    const operation = this.#log.start({
      ...start,
      environmentId,
      meta: { ...start.meta, deliveryId },
      ...(expiresInMs === undefined ? {} : { expiresAt: this.#clock.now() + expiresInMs }),
    });
    this.#open.set(deliveryId, operation);
    return operation;
  }

  attempt(operation: Operation, facts: DeliveryLogFacts, { request, attempt, sent, next }: LoggedAttempt): void {
    const isRetried = next !== undefined && next.waitMs > 0;
    operation.log({
      level: sent.outcome === 'delivered' ? 'info' : 'error',
      type: 'http',
      context: 'webhook',
      message: `POST ${request.url}`,
      durationMs: sent.durationMs,
      request: { method: 'POST', url: request.url, headers: loggedHeaders(request.headers) },
      meta: { body: facts.shownBody },
      retry: { attempt, max: MOST_ATTEMPTS, waitedMs: isRetried ? next.waitMs : 0 },
      // Not its body: the log is not sealed.
      ...(sent.response ? { response: { code: sent.response.code, headers: sent.response.headers } } : {}),
      ...(sent.error ? { error: { message: sent.error.message, type: sent.error.code } } : {}),
    });
    if (!isRetried) return;
    operation.log({
      level: 'warn',
      context: 'webhook',
      message: `Trying again in ${next.waitMs} ms (${reasonOf(sent)}), attempt ${attempt} of ${MOST_ATTEMPTS} failed`,
    });
  }

  end(deliveryId: string, operation: Operation, outcome: { failures: number; destinations: number }): void {
    const { failures, destinations } = outcome;
    const message =
      failures === 0
        ? 'The webhook was delivered.'
        : `The webhook could not be delivered to ${failures} of ${destinations} destinations.`;
    if (this.#open.delete(deliveryId)) {
      operation.finish(failures === 0 ? 'success' : 'failed', failures === 0 ? {} : { error: { message } });
    } else {
      operation.log({ level: failures === 0 ? 'info' : 'error', context: 'webhook', message });
    }
  }

  /** A delivery ends before its next attempt. What it wrote into another operation stays as it is. */
  giveUp(deliveryId: string, message: string): void {
    const operation = this.#open.get(deliveryId);
    if (!this.#open.delete(deliveryId)) return;
    operation?.finish('failed', { error: { message } });
  }

  /** An event that is not sent because nothing changed. */
  skipped(environmentId: number, start: DeliveryLogFacts['start']): void {
    const operation = this.#log.start({ ...start, environmentId });
    operation.log({ level: 'info', context: 'webhook', message: 'Nothing changed, so no webhook was sent.' });
    operation.finish('success');
  }

  /** The program ends; what is not delivered is taken up again at its next start. */
  stop(): void {
    for (const operation of this.#open.values()) {
      operation.finish('cancelled', {
        error: { message: 'Homeport was closed. The delivery goes on, as a new operation, when it starts again.' },
      });
    }
    this.#open.clear();
  }
}

function reasonOf({ response, error }: SentWebhook): string {
  return response ? `status ${response.code}` : (error?.message ?? 'no answer');
}
