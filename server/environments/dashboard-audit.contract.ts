import { z } from 'zod';
import { commaList, isoTime, listQuery, listResponse } from '../contract/dashboard/dashboard-lists.ts';

/** The audit: who changed or read keys, secrets and settings (ui.md 6.14). */

const auditAction = z.enum([
  'token_read',
  'proxy_call',
  'scope_refused',
  'first_use',
  'new_process',
  'secret_revealed',
  'exported',
  'key_created',
  'key_changed',
  'key_revoked',
  'app_paired',
  'app_refused',
  'environment_created',
  'environment_changed',
  'environment_deleted',
  'imported',
  'integration_created',
  'integration_changed',
  'integration_deleted',
  'connection_imported',
  'connection_changed',
  'connection_deleted',
  'functions_changed',
  'settings_changed',
  'signing_key_changed',
  'master_key_changed',
  'provider_approved',
  'provider_removed',
  'approval_answered',
  'mcp_policy_changed',
  'limits_changed',
  'agent_session_created',
  'agent_session_changed',
  'agent_session_ended',
  'agent_call_undone',
  'command_run_started',
  'command_run_ended',
  'backup_made',
  'backup_deleted',
]);

const names = commaList(z.string()).optional();

/** `search` reads app, subject, integration and connection. */
export const auditQuery = listQuery(['time']).extend({
  actions: commaList(auditAction).optional(),
  apps: names,
  results: commaList(z.enum(['done', 'refused'])).optional(),
  integrations: names,
  /** Equal entries that follow each other, of one act and one key, are one row. */
  grouped: z.stringbool().optional(),
  /** The entries of one such row: `<from>,<to>` in milliseconds since the epoch, both ends included. */
  during: z
    .string()
    .regex(/^\d+,\d+$/)
    .optional(),
});

export const auditRow = z.object({
  id: z.string(),
  /** Time of the last event, when the row stands for several. */
  at: isoTime,
  action: auditAction,
  result: z.enum(['done', 'refused']),
  /** Key of the caller; null for a person in the dashboard. */
  keyId: z.number().int().nullable(),
  /** Name of the key at that time. */
  app: z.string().nullable(),
  /** Whether the key can still be revoked. */
  hasKey: z.boolean(),
  /** Null also when the row stands for several integrations. */
  integrationKey: z.string().nullable(),
  connectionId: z.string().nullable(),
  /** What the act changed or read: a name, a scope, a program. */
  subject: z.string().nullable(),
  /** Number of events in the row. Token reads, calls and refusals of one hour are one row. */
  count: z.number().int(),
  /** Number of entries that the row stands for, and the time of the first one. */
  entries: z.number().int(),
  firstAt: isoTime,
});

export const auditRouteShapes = {
  'GET /api/v1/audit': {
    meaning: 'Changes and reads of keys, secrets and settings in the last 90 days, newest first by default.',
    query: auditQuery,
    response: listResponse(auditRow),
  },
};

export type AuditAction = z.infer<typeof auditAction>;
export type AuditRow = z.infer<typeof auditRow>;
