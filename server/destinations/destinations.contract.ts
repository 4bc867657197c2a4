import { z } from 'zod';
import { connectionId, httpUrl, integrationId } from '../contract/fields.ts';

/** Record destinations: where synced records go on their own (http-api.md 11.4). */

/** Largest number per environment. */
export const MAX_RECORD_DESTINATIONS = 20;

const unique = <Item extends z.ZodType<string>>(item: Item) =>
  z
    .array(item)
    .max(1000)
    .transform((list) => [...new Set(list)]);

const name = z.string().trim().min(1, 'Enter a name.').max(100);
/** It delivers only after it is resumed. */
const paused = z.boolean().default(false);
/** Which records go there. An empty list means all; what is named may be created later. */
const filters = {
  integrations: unique(integrationId).default([]),
  models: unique(z.string().min(1).max(255)).default([]),
  connections: unique(connectionId).default([]),
};

/** `verify`: the certificate and the name of the server are checked. `encrypt`: they are not. */
const tls = z.enum(['off', 'encrypt', 'verify']);
/** What happens to the row of a record that is deleted: it goes, or `_deleted` becomes true. */
const deletions = z.enum(['delete', 'mark']);
const schemaName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'Use letters, digits and _, and begin with a letter.')
  .max(63)
  .refine((text) => !/^pg_/i.test(text), 'PostgreSQL keeps names that begin with pg_ for itself.');
const certificate = z
  .string()
  .max(100_000)
  .refine((text) => text.includes('-----BEGIN CERTIFICATE-----'), 'Paste the certificate in the form PEM.');
const connectionString = z.string().trim().min(1, 'Enter the connection.').max(4000);
const folder = z.string().min(1, 'Enter the path of a folder.').max(4000);
const token = z.string().trim().min(1).max(4000);

const postgres = {
  /** `postgres://user:password@host:5432/database`; sealed, and never returned. */
  connection_string: connectionString,
  schema: schemaName.default('homeport'),
  /** Default: `off` for this computer, else `verify`. */
  tls: tls.optional(),
  /** Certificate of the authority that signed the server's, in the form PEM. */
  ca_certificate: certificate.nullable().default(null),
  deletions: deletions.default('delete'),
};
const ndjson = {
  /** An absolute path on the computer of the hub. */
  folder,
};
const http = {
  /** Sealed; the answer names the host only. */
  url: httpUrl.max(4000),
  /** Sent as `Authorization: Bearer …`; sealed, and never returned. */
  token: token.nullable().default(null),
};

export const newRecordDestination = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('postgres'), name, paused, ...postgres, ...filters }),
  z.strictObject({ kind: z.literal('ndjson'), name, paused, ...ndjson, ...filters }),
  z.strictObject({ kind: z.literal('http'), name, paused, ...http, ...filters }),
]);

/** The kind cannot be changed, and members of other kinds are refused. Secrets that are left out stay. */
export const recordDestinationChange = z.strictObject({
  name: name.optional(),
  connection_string: connectionString.optional(),
  schema: schemaName.optional(),
  tls: tls.optional(),
  ca_certificate: certificate.nullable().optional(),
  deletions: deletions.optional(),
  folder: folder.optional(),
  url: http.url.optional(),
  token: token.nullable().optional(),
  integrations: unique(integrationId).optional(),
  models: unique(z.string().min(1).max(255)).optional(),
  connections: unique(connectionId).optional(),
});

/** From which moment on changes are delivered again; without one from the beginning. */
export const replayBody = z.strictObject({ from: z.iso.datetime({ offset: true }).nullable().default(null) });

export const recordDestinationParams = z.object({ destinationId: z.string().min(1).max(100) });
export const destinationDeleted = z.object({ success: z.literal(true) });

const moment = z.iso.datetime({ offset: true });

export const recordDestinationView = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.enum(['postgres', 'ndjson', 'http']),
  /** Where records go, without secrets. */
  target: z.string(),
  /** Of PostgreSQL; null for other kinds. */
  schema: z.string().nullable(),
  tls: tls.nullable(),
  ca_certificate: z.string().nullable(),
  deletions: deletions.nullable(),
  integrations: z.array(z.string()),
  models: z.array(z.string()),
  connections: z.array(z.string()),
  state: z.enum(['up_to_date', 'delivering', 'failing', 'paused']),
  /** Changes that wait. */
  waiting: z.number().int(),
  /** Age of the oldest change that waits; 0 when none does. */
  lag_seconds: z.number(),
  /** Changes that were delivered, those of replays included. */
  delivered: z.number().int(),
  delivered_at: moment.nullable(),
  /** When the hub last looked for changes, or tried to deliver them. */
  checked_at: moment.nullable(),
  next_attempt_at: moment.nullable(),
  /** The last failure, until a delivery succeeds. */
  error: z.object({ code: z.string(), message: z.string(), failures: z.number().int(), at: moment }).nullable(),
  created_at: moment,
});

/** One model of an integration, over all connections that are chosen. */
const modelProgress = z.object({
  integration: z.string(),
  model: z.string(),
  connections: z.number().int(),
  delivered: z.number().int(),
  waiting: z.number().int(),
  lag_seconds: z.number(),
});

export const recordDestinationDetail = recordDestinationView.extend({ progress: z.array(modelProgress) });

export const recordDestinationResponse = z.object({ data: recordDestinationDetail });
export const recordDestinationsResponse = z.object({ data: z.array(recordDestinationView) });
/** `message`: a sentence about what is there, or about what is wrong and what to do. */
export const destinationTestResponse = z.object({ data: z.object({ ok: z.boolean(), message: z.string() }) });

export type NewRecordDestination = z.infer<typeof newRecordDestination>;
export type RecordDestinationChange = z.infer<typeof recordDestinationChange>;
export type NewRecordDestinationInput = z.input<typeof newRecordDestination>;
export type RecordDestinationChangeInput = z.input<typeof recordDestinationChange>;
export type RecordDestinationView = z.infer<typeof recordDestinationView>;
export type RecordDestinationDetail = z.infer<typeof recordDestinationDetail>;
