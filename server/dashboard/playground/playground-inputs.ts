import type { Environment } from '../../environments/environment.service.ts';
import type { IntegrationsService } from '../../integrations/integrations.service.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Clock } from '../../platform/lib/clock.ts';
import { HomeportError } from '../../platform/lib/homeport-error.ts';
import type { Ids } from '../../platform/lib/ids.ts';
import type { Vault } from '../../platform/vault/vault.ts';
import {
  MAX_SAVED_INPUTS,
  type PlaygroundRequest,
  type SavableRequest,
  savableRequest,
} from '../dashboard-playground.contract.ts';
import { type PlaygroundInputRow, PlaygroundInputsStore } from '../playground-inputs.store.ts';

export interface SavedInput {
  id: string;
  name: string;
  /** Milliseconds since the epoch. */
  savedAt: number;
  request: SavableRequest;
}

/** The function of an input, or the integration of a saved request; a request has an empty function name. */
export interface SavedInputTarget {
  integrationKey: string;
  kind: SavableRequest['kind'];
  functionName: string;
}

export type PlaygroundInputs = ReturnType<typeof createPlaygroundInputs>;

/** Inputs that a person saved under a name to run them again; sealed, because they may be secret. */
export function createPlaygroundInputs(use: {
  database: Database;
  vault: Vault;
  clock: Clock;
  ids: Ids;
  integrations: Pick<IntegrationsService, 'find'>;
}) {
  const { database, vault, clock, ids, integrations } = use;
  const store = new PlaygroundInputsStore();

  /** Sorted by name; empty when the integration does not exist. */
  async function list(
    environment: Environment,
    { integrationKey, kind, functionName }: SavedInputTarget,
  ): Promise<SavedInput[]> {
    const integration = await integrations.find(environment.id, integrationKey);
    if (!integration) return [];
    const rows = await store.list(database.reader, { integrationId: integration.id, kind, functionName });
    return rows.map((row) => open(row));
  }

  /** Saved requests to all integrations, by integration and name. */
  async function listRequests(environment: Environment): Promise<SavedInput[]> {
    const rows = await store.listRequests(database.reader, environment.id);
    return rows.map((row) => {
      const saved = open(row);
      // The integration may have another key by now.
      return { ...saved, request: { ...saved.request, integrationKey: row.integrationKey } };
    });
  }

  /**
   * Replaces an input with the same name and function. Throws `not_found`, and `invalid_body` when there are too many.
   */
  async function save(environment: Environment, name: string, request: SavableRequest): Promise<SavedInput> {
    const integration = await integrations.find(environment.id, request.integrationKey);
    if (!integration)
      throw new HomeportError('not_found', `There is no integration "${request.integrationKey}" in this environment.`);
    const target = {
      integrationId: integration.id,
      kind: request.kind,
      functionName: request.kind === 'proxy' ? '' : request.name,
    };
    const id = ids.uuid();
    const savedAt = clock.now();
    const kept = withoutFiles(request);
    const row = { ...target, id, name, savedAt, request: vault.seal(JSON.stringify(kept), inputContext(id)) };
    await database.transaction(async (tx) => {
      const saved = await store.list(tx, target);
      const replaced = saved.find((one) => one.name === name);
      if (replaced) await store.remove(tx, environment.id, replaced.id);
      else if (saved.length >= MAX_SAVED_INPUTS)
        throw new HomeportError(
          'invalid_body',
          `${MAX_SAVED_INPUTS} inputs are already saved here, which is the limit. Delete one first.`,
        );
      await store.insert(tx, row);
    });
    return { id, name, savedAt, request: kept };
  }

  /** Throws `not_found`. */
  async function remove(environment: Environment, id: string): Promise<void> {
    const removed = await database.transaction((tx) => store.remove(tx, environment.id, id));
    if (removed === 0) throw new HomeportError('not_found', 'This input is not saved any more.');
  }

  function open({ id, name, savedAt, request }: PlaygroundInputRow): SavedInput {
    const text = vault.open(request, inputContext(id));
    // Values that came later have their defaults.
    return { id, name, savedAt, request: savableRequest.parse(JSON.parse(text)) };
  }

  return { list, listRequests, save, remove };
}

/** The request as it is kept: without the contents of files. */
export function withoutFiles<Request extends PlaygroundRequest>(request: Request): Request {
  if (request.kind !== 'proxy') return request;
  const fields = request.fields.map((field) =>
    field.file ? { ...field, file: { ...field.file, base64: null } } : field,
  );
  return { ...request, fields };
}

export const inputContext = (id: string): string => `playground-input:${id}:request`;
