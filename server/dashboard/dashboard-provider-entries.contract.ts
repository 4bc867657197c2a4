import { z } from 'zod';

/** Entries of the workspace's provider files, written and tested in the dashboard (providers.md 12, ui.md 6.4). */

const catalogFinding = z.object({
  file: z.string(),
  /** Line number from 1; 0 means the whole file. */
  line: z.number().int(),
  /** Empty when the finding concerns the whole file. */
  provider: z.string(),
  keyPath: z.string(),
  reason: z.string(),
});

const checkedEntry = z.object({
  name: z.string(),
  displayName: z.string(),
  authMode: z.string(),
  baseUrl: z.string().nullable(),
  /** `override`: the entry changes a built-in provider. */
  source: z.enum(['workspace', 'override']),
  /** Whether the workspace already has an entry with this name. */
  isThere: z.boolean(),
});

const checkedEntries = z.object({
  entries: z.array(checkedEntry),
  /** Why entries are ignored. */
  problems: z.array(catalogFinding),
  /** Warnings about valid entries. */
  warnings: z.array(catalogFinding),
});

const catalogState = checkedEntries.omit({ entries: true });

const providerEntryText = z.object({
  /** The file of the entry, below the functions folder; null when it is not written yet. */
  file: z.string().nullable(),
  /** The entry with its key as written; a template for a provider without an entry. */
  text: z.string(),
  /** Whether the entry changes a built-in provider. */
  isBuiltIn: z.boolean(),
});

const text = z.string().max(16 * 1_048_576);
const texts = z.record(z.string(), z.string());

const checkEntriesBody = z.object({ file: z.string().max(255), text });
const saveEntryBody = z.object({ text });
const importEntriesBody = checkEntriesBody.extend({
  /** Allows entries of built-in providers. */
  replaces: z.boolean(),
});
const importedEntries = z.object({ file: z.string(), added: z.array(z.string()) });

/** A test; nothing is stored. */
const tryEntryBody = z.object({
  text,
  provider: z.string(),
  connectionConfig: texts,
  /** By the names of the provider's credential fields; `access_token` for modes with an authorization. */
  credentials: texts,
  clientId: z.string(),
  scopes: z.string(),
  /** Without it the response is the authorization address. */
  request: z.object({ method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']), endpoint: z.string() }).optional(),
});

/** The request that was sent, with secrets replaced, and the response. */
const triedEntry = z.object({
  method: z.string(),
  url: z.string(),
  status: z.number().int().nullable(),
  contentType: z.string().nullable(),
  /** The first 64 kB, if it is text. */
  body: z.string(),
  durationMs: z.number(),
  /** Why there is no response. */
  error: z.string().nullable(),
});

/** An address, or the text of a file. */
const proposeEntryBody = z.object({
  address: z.string().max(2000).optional(),
  file: z.string().max(255).optional(),
  text: text.optional(),
  /** Key of the new provider; by default from the title. */
  provider: z.string().max(255).optional(),
  /** Name of one of `choices`; by default the first one. */
  auth: z.string().max(255).optional(),
});
const proposedEntry = z.object({
  provider: z.string(),
  /** The entry with its key, as YAML. */
  text: z.string(),
  /** What the description does not say, by the path in the entry. */
  open: z.array(z.object({ keyPath: z.string(), reason: z.string() })),
  /** Ways to authorize. */
  choices: z.array(z.object({ name: z.string(), label: z.string(), isChosen: z.boolean() })),
  operationCount: z.number().int(),
});

const one = z.object({ provider: z.string() });

export const providerEntryRouteShapes = {
  'GET /api/v1/provider-entries': {
    meaning: 'Errors and warnings about the workspace’s provider files.',
    response: catalogState,
  },
  'POST /api/v1/provider-entries/check': {
    meaning: 'Checks a file of entries by the rules of the catalogue; stores nothing.',
    body: checkEntriesBody,
    response: checkedEntries,
  },
  'POST /api/v1/provider-entries/import': {
    meaning: 'Adds the valid entries of a file to the workspace and approves them.',
    body: importEntriesBody,
    response: importedEntries,
  },
  'POST /api/v1/provider-entries/propose': {
    meaning: 'An entry written from an API description or for an MCP server; stores nothing.',
    body: proposeEntryBody,
    response: proposedEntry,
  },
  'POST /api/v1/provider-entries/try': {
    meaning: 'Sends one request according to an unsaved entry.',
    body: tryEntryBody,
    response: triedEntry,
  },
  'GET /api/v1/provider-entries/:provider': {
    meaning: 'The text of the workspace entry of one provider.',
    params: one,
    response: providerEntryText,
  },
  'PUT /api/v1/provider-entries/:provider': {
    meaning: 'Writes one entry into the workspace and approves it; 400 with the findings when it is not valid.',
    params: one,
    body: saveEntryBody,
    response: providerEntryText,
  },
  'DELETE /api/v1/provider-entries/:provider': {
    meaning: 'Removes one entry from the workspace.',
    params: one,
    response: z.object({ success: z.literal(true) }),
  },
};

export type CheckedEntryRow = z.infer<typeof checkedEntry>;
export type CatalogFinding = z.infer<typeof catalogFinding>;
export type ProviderEntryText = z.infer<typeof providerEntryText>;
export type TryEntryBody = z.infer<typeof tryEntryBody>;
export type TriedEntry = z.infer<typeof triedEntry>;
