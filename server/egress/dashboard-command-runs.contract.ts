import { z } from 'zod';
import { done, environmentQuery, isoTime, wholeResponse } from '../contract/dashboard/dashboard-lists.ts';
import { callLimitsBody } from '../limits/limits.contract.ts';

/** Runs of commands with placeholders in the place of credentials (agents.md 8). */

const OTHER_HOSTS = ['pass', 'refuse', 'ask'] as const;
const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'is not the name of a variable');
const hostPattern = z
  .string()
  .max(260)
  .regex(/^(?:\*\.)?[A-Za-z0-9._:[\]-]+$/, 'is not a host, host:port or *.host');

const newCommandRun = z.strictObject({
  connections: z
    .array(
      z.strictObject({
        integrationKey: z.string().max(255),
        connectionId: z.string().max(255),
        /** Names that the person chose; without one the names of the catalogue. */
        variables: z.array(variable).max(20).optional(),
      }),
    )
    .max(100),
  /** The run has the connections of this agent session, its limits and its end. */
  sessionId: z.string().max(255).optional(),
  /** As the log shows it. */
  command: z.string().min(1).max(1000),
  otherHosts: z.enum(OTHER_HOSTS),
  allowedHosts: z.array(hostPattern).max(100),
  limits: callLimitsBody.optional(),
  refusedHosts: z.array(hostPattern).max(100),
});

const openedRun = z.object({
  id: z.string(),
  /** With the secret of the run. */
  proxyUrl: z.string(),
  /** The run ends when nobody follows this address any more. */
  followUrl: z.string(),
  /** A folder for files of the run, which is removed with it. */
  folder: z.string(),
  /** Certificate of the run's authority, PEM. */
  authority: z.string(),
  /** Variables with placeholders. */
  variables: z.record(z.string(), z.string()),
  /** Settings for git. */
  git: z.array(z.tuple([z.string(), z.string()])),
  leftOut: z.array(z.object({ connection: z.string(), reason: z.string() })),
});

const commandRunRow = z.object({
  id: z.string(),
  command: z.string(),
  connections: z.array(z.object({ integrationKey: z.string(), connectionId: z.string() })),
  /** The agent session whose connections it has. */
  sessionId: z.string().nullable(),
  startedAt: isoTime,
  /** In the log. */
  operationId: z.string(),
  requests: z.number().int(),
  /** Requests that were refused. */
  refusals: z.number().int(),
});

export const commandRunsRouteShapes = {
  'GET /api/v1/command-runs': {
    meaning: 'Commands that run now, the newest first.',
    query: environmentQuery,
    response: wholeResponse(commandRunRow),
  },
  'POST /api/v1/command-runs/:runId/stop': {
    meaning: 'Ends one, and tells the command line; 404 when it has ended. The command gets no credentials any more.',
    params: z.object({ runId: z.string().max(64) }),
    query: environmentQuery,
    response: done,
  },
  'POST /api/v1/command-runs': {
    meaning: 'Opens a run: a proxy of its own, and placeholders for the credentials of connections.',
    query: environmentQuery,
    body: newCommandRun,
    response: openedRun,
  },
  'DELETE /api/v1/command-runs/:runId': {
    meaning: 'Ends it; nothing of it is left when the answer arrives.',
    params: z.object({ runId: z.string().max(64) }),
    query: environmentQuery,
    response: done,
  },
};

export type CommandRunRow = z.infer<typeof commandRunRow>;
export type NewCommandRunBody = z.infer<typeof newCommandRun>;
export type OpenedCommandRun = z.infer<typeof openedRun>;
