import type { OperationAction, OperationStart } from '../logs/operation.ts';
import type { WebhookPayload } from './webhook-payloads.ts';

export type WebhookType = 'auth' | 'sync' | 'async_action' | 'forward';

/** Why a delivery exists: something happened, somebody repeats one, or somebody tries their receiver. */
export type DeliveryCause = 'event' | 'replay' | 'sample';

/** A webhook on its way to be queued. */
export interface Delivery {
  environmentId: number;
  type: WebhookType;
  cause: DeliveryCause;
  /** The delivery that this one repeats. */
  originId?: string;
  /** Addresses, in the order in which they are served. */
  destinations: string[];
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
