import type { OperationAction, OperationStart } from '../logs/operation.ts';
import type { WebhookPayload } from './webhook-payloads.ts';

/** What is kept, sealed, of a webhook until every destination has it or was given up. */
export interface DeliveryContent {
  /** Addresses, in the order in which they are served. */
  destinations: string[];
  /** The bytes to send. */
  body: string;
  /** Headers beside those that every webhook has. */
  headers: Record<string, string>;
  log: DeliveryLogFacts;
}

export interface DeliveryLogFacts {
  /** The operation of the delivery; it is opened when the first attempt of this start of the program begins. */
  start: Omit<OperationStart, 'environmentId' | 'type' | 'action' | 'expiresAt'> & LoggedAs;
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
