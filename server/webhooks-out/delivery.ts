import type { Operation, OperationAction, OperationLog, OperationStart } from '../log/operation.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { MAX_ATTEMPTS, type NextStep } from './delivery-runner.ts';
import type { WebhookPayload } from './payloads.ts';
import { loggedHeaders, type SentWebhook, type WebhookRequest } from './webhook-sender.ts';

export type WebhookType = 'auth' | 'sync' | 'async_action' | 'forward';

/** The reason for a delivery: an event, a repetition, or a test of the receiver. */
export type DeliveryCause = 'event' | 'replay' | 'sample';

/** A webhook to enqueue. */
export interface Delivery {
  environmentId: number;
  type: WebhookType;
  cause: DeliveryCause;
  /** The delivery that this one repeats. */
  originId?: string;
  /** The provider's webhook that it forwards. */
  incomingId?: string | undefined;
  /** Addresses, in the order in which they are tried. */
  destinations: string[];
  /** The further destination of the delivery; then `destinations` contains only its address. */
  webhookDestinationId?: string | undefined;
  content: DeliveryContent;
}

/** The sealed part of a webhook: everything needed to send it, also again. */
export interface DeliveryContent {
  /** The body to send. */
  body: string;
  /** Headers in addition to those of every webhook. */
  headers: Record<string, string>;
  log: DeliveryLogFacts;
}

export interface DeliveryLogFacts {
  /** The operation of the delivery. It starts with the first attempt after each start of the program. */
  start: Omit<OperationStart, 'environmentId' | 'type' | 'action' | 'expiresAt' | 'message'> &
    LoggedAs & { message: string };
  /** Log to this operation instead. */
  operationId?: string;
  expiresInMs?: number;
  /** The body for the log. */
  shownBody: unknown;
}

export type LoggedAs = { type: 'webhook'; action: OperationAction<'webhook'> } | { type: 'action'; action: 'run' };

/** Members that may contain texts of people or functions; the log is not sealed, so it must not contain them. */
const PRIVATE_MEMBERS: ReadonlySet<string> = new Set(['error', 'endUser', 'tags', 'checkpoints', 'payload']);

/** The payload for the log, without the values of private members. */
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

export type DeliveryLog = ReturnType<typeof createDeliveryLog>;

/**
 * Log entries about deliveries (webhooks.md 1.6): a separate operation each, or lines in the operation of an action.
 */
export function createDeliveryLog({ log, clock }: { log: OperationLog; clock: Clock }) {
  /** Operations of deliveries in progress. */
  const open = new Map<string, Operation>();

  return {
    /** The operation for an attempt. A delivery from before a restart continues in a new operation. */
    begin(deliveryId: string, environmentId: number, facts: DeliveryLogFacts): Operation {
      if (facts.operationId !== undefined) return log.attach(facts.operationId);
      const known = open.get(deliveryId);
      if (known) return known;
      const { start, expiresInMs } = facts;
      const operation = log.start({
        ...start,
        environmentId,
        meta: { ...start.meta, deliveryId },
        ...(expiresInMs === undefined ? {} : { expiresAt: clock.now() + expiresInMs }),
      });
      open.set(deliveryId, operation);
      return operation;
    },
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
        retry: { attempt, max: MAX_ATTEMPTS, waitedMs: isRetried ? next.waitMs : 0 },
        // Without its body, because the log is not sealed.
        ...(sent.response ? { response: { code: sent.response.code, headers: sent.response.headers } } : {}),
        ...(sent.error ? { error: { message: sent.error.message, type: sent.error.code } } : {}),
      });
      if (!isRetried) return;
      operation.log({
        level: 'warn',
        context: 'webhook',
        message: `Trying again in ${next.waitMs} ms (${reasonOf(sent)}), attempt ${attempt} of ${MAX_ATTEMPTS} failed`,
      });
    },
    end(deliveryId: string, operation: Operation, outcome: { failures: number; destinations: number }): void {
      const { failures, destinations } = outcome;
      const message =
        failures === 0
          ? 'The webhook was delivered.'
          : `The webhook could not be delivered to ${failures} of ${destinations} destinations.`;
      if (open.delete(deliveryId)) {
        operation.finish(failures === 0 ? 'success' : 'failed', failures === 0 ? {} : { error: { message } });
      } else {
        operation.log({ level: failures === 0 ? 'info' : 'error', context: 'webhook', message });
      }
    },
    /** Ends a delivery before its next attempt. Entries in another operation stay as they are. */
    giveUp(deliveryId: string, message: string): void {
      const operation = open.get(deliveryId);
      if (!open.delete(deliveryId)) return;
      operation?.finish('failed', { error: { message } });
    },
    /** Logs an event that is not sent because nothing changed. */
    skipped(environmentId: number, start: DeliveryLogFacts['start']): void {
      const operation = log.start({ ...start, environmentId });
      operation.log({ level: 'info', context: 'webhook', message: 'Nothing changed, so no webhook was sent.' });
      operation.finish('success');
    },
    /** The program ends; unfinished deliveries continue at its next start. */
    stop(): void {
      for (const operation of open.values()) {
        operation.finish('cancelled', {
          error: { message: 'Homeport was closed. The delivery continues as a new operation at the next start.' },
        });
      }
      open.clear();
    },
  };
}

function reasonOf({ response, error }: SentWebhook): string {
  return response ? `status ${response.code}` : (error?.message ?? 'no answer');
}
