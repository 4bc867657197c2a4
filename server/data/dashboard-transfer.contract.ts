import { z } from 'zod';
import { dashboardJsonObject, environmentQuery, wholeResponse } from '../contract/dashboard/dashboard-lists.ts';

/** Export and import of environments (ui.md 6.17). */

const part = z.enum(['settings', 'integrations', 'connections', 'functions']);
const conflictRule = z.enum(['skip', 'rename', 'replace']);
const kind = z.enum([
  'settings',
  'destination',
  'record-destination',
  'query',
  'provider',
  'integration',
  'connection',
  'function',
]);

const serverRef = z.object({ url: z.string().min(1), secretKey: z.string().min(1) });

const transferSource = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('file'), file: dashboardJsonObject, passphrase: z.string().optional() }),
  /** A ZIP file, as base64. */
  z.object({ kind: z.literal('archive'), archive: z.string().min(1), passphrase: z.string().optional() }),
  serverRef.extend({ kind: z.literal('server') }),
]);

/** The largest number that a person can select in a list. */
const MAX_EXPORTED = 10_000;

const exportBody = z.object({
  parts: z.array(part).min(1),
  passphrase: z.string().min(1).optional(),
  /** Integration keys. Others are left out, with their connections and functions. Default: all. */
  integrations: z.array(z.string()).min(1).optional(),
  /** Limits the export to these connections. */
  connections: z
    .array(z.object({ integrationKey: z.string(), connectionId: z.string() }))
    .min(1)
    .max(MAX_EXPORTED)
    .optional(),
});

const choice = {
  conflict: conflictRule,
  parts: z.array(part).min(1),
  /** Integration keys. Connections and functions of others are not imported. Default: all. */
  integrations: z.array(z.string()).optional(),
};

const transferPreviewRow = z.object({
  kind,
  name: z.string(),
  /** Whether the target has one with this name. */
  exists: z.boolean(),
  integration: z.string().nullable(),
});

const transferPreview = z.object({
  /** Name of the environment, or address of the server, from which it was exported. */
  origin: z.string(),
  exportedAt: z.string().nullable(),
  rows: z.array(transferPreviewRow),
  /** What would be sent to other hosts, and what would run; one sentence each. */
  effects: z.array(z.string()),
  /** Secret parts that are missing in the file or could not be opened. */
  leftOut: z.array(z.string()),
  needsPassphrase: z.boolean(),
  hasSecrets: z.boolean(),
});

const transferRow = z.object({
  kind,
  name: z.string(),
  outcome: z.enum(['created', 'replaced', 'renamed', 'skipped', 'failed']),
  /** Why it failed or was skipped, or its new name. */
  detail: z.string().optional(),
});

/** A connection of a list, with its new id. */
const listedConnection = z.object({
  integrationKey: z.string(),
  connectionId: z.string().optional(),
  body: dashboardJsonObject,
});

const checkedConnection = z.object({
  /** Whether the hub has one with this id. */
  exists: z.boolean(),
  /** Why it would be refused; null when it can be sent. */
  problem: z.string().nullable(),
});

export const transferRouteShapes = {
  'POST /api/v1/transfer/export': {
    meaning: 'The environment as one JSON file; its secrets only under a passphrase.',
    query: environmentQuery,
    body: exportBody,
    response: z.object({ file: dashboardJsonObject }),
  },
  'POST /api/v1/transfer/archive': {
    meaning: 'The same as a ZIP file with the functions as files and with checksums; in base64.',
    query: environmentQuery,
    body: exportBody,
    response: z.object({ archive: z.string() }),
  },
  'POST /api/v1/transfer/preview': {
    meaning: 'What an import of a file, or from a server of the same API, would do; writes nothing.',
    query: environmentQuery,
    body: z.object({ source: transferSource }),
    response: transferPreview,
  },
  'POST /api/v1/transfer/import': {
    meaning: 'Imports it; a row for each part.',
    query: environmentQuery,
    body: z.object({ source: transferSource, ...choice }),
    response: wholeResponse(transferRow),
  },
  'POST /api/v1/transfer/send': {
    meaning: 'Writes the environment into another server of the same API; a row for each part.',
    query: environmentQuery,
    body: z.object({ target: serverRef, ...choice }),
    response: wholeResponse(transferRow),
  },
  'POST /api/v1/transfer/check-connections': {
    meaning: 'Whether connections of a list could be imported, in their order; writes nothing.',
    query: environmentQuery,
    body: z.object({ rows: z.array(listedConnection).max(5000) }),
    response: wholeResponse(checkedConnection),
  },
};

export type ShownTransferPart = z.infer<typeof part>;
export type ShownConflictRule = z.infer<typeof conflictRule>;
export type ShownTransferSource = z.input<typeof transferSource>;
export type TransferPreviewResponse = z.infer<typeof transferPreview>;
export type ShownTransferRow = z.infer<typeof transferRow>;
