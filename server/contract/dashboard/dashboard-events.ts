import { z } from 'zod';
import { notificationEvent } from '../../dashboard/dashboard-notifications.contract.ts';
import { health } from '../../environments/dashboard-environment.contract.ts';
import { functionType } from '../../functions/dashboard-functions.contract.ts';
import { messageRow, operationRow } from '../../log/dashboard-logs.contract.ts';
import { approvalEvent } from '../../mcp/dashboard-mcp.contract.ts';

const change = z.enum(['created', 'updated', 'deleted']);
const ofConnection = { integrationKey: z.string(), connectionId: z.string() };

/**
 * `GET /api/v1/events?env=`: server-sent events of one environment. Each event has an `id:` (the stream resumes from it
 * with `Last-Event-ID`), an `event:` that is one of the keys below, and `data:` with JSON of its schema. A comment line
 * every 15 s keeps the stream open. When the server cannot resume from an id it sends `reset`, and the page loads its
 * data again. The stream ends when the environment is deleted or renamed; the name then answers 404.
 */
export const dashboardEvents = {
  /**
   * An operation was created or changed. The event has the whole row, so that the log can show it without a request.
   */
  operation: operationRow,
  message: z.object({ operationId: z.string(), message: messageRow }),
  connection: z.object({ ...ofConnection, change }),
  sync: z.object({ ...ofConnection, sync: z.string(), variant: z.string() }),
  /** A batch of records was saved. At most one event a second per model. */
  records: z.object({ ...ofConnection, model: z.string(), variant: z.string() }),
  function: z.object({ integrationKey: z.string(), type: functionType, name: z.string(), change }),
  approval: approvalEvent,
  /** An incoming webhook arrived, or an outgoing webhook started, continued or ended. */
  webhook: z.object({ direction: z.enum(['incoming', 'outgoing']), id: z.string() }),
  /** A key was used, created, changed or revoked. At most one event a second per key. */
  key: z.object({ id: z.number().int() }),
  /** An app asked for a pairing, or its request ended. */
  pairing: z.object({ id: z.string() }),
  /** A record destination was changed, or a delivery to it ended. */
  destination: z.object({ id: z.string() }),
  /** The files of a snapshot were written, or its settings changed. */
  snapshot: z.object({}),
  /** A drift watch compared, or was changed. */
  drift: z.object({ integrationKey: z.string() }),
  /** The audit has a new entry. */
  audit: z.object({}),
  notification: notificationEvent,
  health,
  reset: z.object({}),
} as const;

export type DashboardEventName = keyof typeof dashboardEvents;
export type DashboardEvent<Name extends DashboardEventName = DashboardEventName> = z.infer<
  (typeof dashboardEvents)[Name]
>;
