import { z } from 'zod';
import { health } from './dashboard-environment.ts';
import { functionType } from './dashboard-functions.ts';
import { messageRow, operationRow } from './dashboard-logs.ts';
import { approvalEvent } from './dashboard-mcp.ts';
import { notificationEvent } from './dashboard-notifications.ts';

const change = z.enum(['created', 'updated', 'deleted']);
const ofConnection = { integrationKey: z.string(), connectionId: z.string() };

/**
 * `GET /api/v1/events?env=`: server-sent events of one environment. Each has an `id:` (resumed with
 * `Last-Event-ID`), `event:` one of the keys below and `data:` JSON of its schema; a comment line every 15 s
 * keeps it open. When the server cannot resume from an id it sends `reset`: the page refetches what it shows.
 */
export const dashboardEvents = {
  /** Created, or changed state. The whole row, so that the log shows it without asking. */
  operation: operationRow,
  message: z.object({ operationId: z.string(), message: messageRow }),
  connection: z.object({ ...ofConnection, change }),
  sync: z.object({ ...ofConnection, sync: z.string(), variant: z.string() }),
  /** A batch was saved. At most one a second per model. */
  records: z.object({ ...ofConnection, model: z.string(), variant: z.string() }),
  function: z.object({ integrationKey: z.string(), type: functionType, name: z.string(), change }),
  approval: approvalEvent,
  /** One came in; one to the caller's application began, went on or ended. */
  webhook: z.object({ direction: z.enum(['incoming', 'outgoing']), id: z.string() }),
  /** A key was used, made, changed or revoked; at most one a second per key. */
  key: z.object({ id: z.number().int() }),
  /** An app asked to be paired, or its request ended. */
  pairing: z.object({ id: z.string() }),
  /** Something was written to the audit. */
  audit: z.object({}),
  notification: notificationEvent,
  health,
  reset: z.object({}),
} as const;

export type DashboardEventName = keyof typeof dashboardEvents;
export type DashboardEvent<Name extends DashboardEventName = DashboardEventName> = z.infer<
  (typeof dashboardEvents)[Name]
>;
