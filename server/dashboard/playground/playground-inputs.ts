import { MAX_SAVED_INPUTS, MAX_SAVED_REQUESTS } from '../../contract/dashboard/list-limits.ts';
import type { Environment } from '../../environments/environment.service.ts';
import type { IntegrationsService } from '../../integrations/integrations.service.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Clock } from '../../platform/lib/clock.ts';
import { HomeportError } from '../../platform/lib/homeport-error.ts';
import type { Ids } from '../../platform/lib/ids.ts';
import type { Vault } from '../../platform/vault/vault.ts';
import type { PlaygroundRequest, SavableRequest } from '../dashboard-playground.contract.ts';
import {
  type PlaygroundInputRow,
  PlaygroundInputsStore,
  type PlaygroundInputTarget,
} from '../playground-inputs.store.ts';

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
    return openAll(rows);
  }

  /** Saved requests to all integrations, by integration and name. */
  async function listRequests(environment: Environment): Promise<SavedInput[]> {
    const rows = await store.listRequests(database.reader, environment.id);
    const saved = await openAll(rows);
    // The integration may have another key by now.
    return saved.map((one, index) => {
      const { integrationKey = one.request.integrationKey } = rows[index] ?? {};
      return { ...one, request: { ...one.request, integrationKey } };
    });
  }

  /**
   * Replaces an input with the same name and function. Throws `not_found`, and `invalid_body` when there are too many.
   */
  async function save(environment: Environment, name: string, request: SavableRequest): Promise<SavedInput> {
    const integrationId = await integrationIdOf(environment, request.integrationKey);
    const target = {
      integrationId,
      kind: request.kind,
      functionName: request.kind === 'proxy' ? '' : request.name,
    };
    const { row, input } = sealed(target, name, request);
    await database.transaction(async (tx) => {
      const saved = await store.list(tx, target);
      const replaced = saved.find((one) => one.name === name);
      if (replaced) await store.remove(tx, environment.id, replaced.id);
      else checkRoom(request.kind, saved.length, 1);
      await store.insert(tx, row);
    });
    return input;
  }

  /**
   * Saves requests to an integration, all or none; a name that is taken gets a number. Throws `not_found`, and
   * `invalid_body` when there are too many.
   */
  async function saveRequests(
    environment: Environment,
    integrationKey: string,
    requests: ReadonlyArray<{ name: string; request: ProxyRequest }>,
  ): Promise<SavedInput[]> {
    const integrationId = await integrationIdOf(environment, integrationKey);
    const target = { integrationId, kind: 'proxy', functionName: '' } as const;
    return database.transaction(async (tx) => {
      const saved = await store.list(tx, target);
      checkRoom('proxy', saved.length, requests.length);
      const taken = new Set(saved.map(({ name }) => name));
      const inputs: SavedInput[] = [];
      for (const { name, request } of requests) {
        const free = freeName(name, taken);
        taken.add(free);
        const { row, input } = sealed(target, free, request);
        await store.insert(tx, row);
        inputs.push(input);
      }
      return inputs;
    });
  }

  /** Throws `not_found`. */
  async function remove(environment: Environment, id: string): Promise<void> {
    const removed = await database.transaction((tx) => store.remove(tx, environment.id, id));
    if (removed === 0) throw new HomeportError('not_found', 'This input is not saved any more.');
  }

  async function integrationIdOf(environment: Environment, key: string): Promise<number> {
    const integration = await integrations.find(environment.id, key);
    if (!integration) throw new HomeportError('not_found', `There is no integration "${key}" in this environment.`);
    return integration.id;
  }

  function sealed(
    target: PlaygroundInputTarget,
    name: string,
    request: SavableRequest,
  ): { row: PlaygroundInputRow; input: SavedInput } {
    const id = ids.uuid();
    const savedAt = clock.now();
    const kept = withoutFiles(request);
    return {
      row: { ...target, id, name, savedAt, request: vault.seal(JSON.stringify(kept), inputContext(id)) },
      input: { id, name, savedAt, request: kept },
    };
  }

  async function openAll(rows: PlaygroundInputRow[]): Promise<SavedInput[]> {
    // Only windows need its schemas, and a start need not make them.
    const { savableRequest } = await import('../dashboard-playground.contract.ts');
    return rows.map(({ id, name, savedAt, request }) => {
      const text = vault.open(request, inputContext(id));
      // Values that came later have their defaults.
      return { id, name, savedAt, request: savableRequest.parse(JSON.parse(text)) };
    });
  }

  return { list, listRequests, save, saveRequests, remove };
}

type ProxyRequest = Extract<SavableRequest, { kind: 'proxy' }>;

function checkRoom(kind: SavableRequest['kind'], saved: number, more: number): void {
  const limit = kind === 'proxy' ? MAX_SAVED_REQUESTS : MAX_SAVED_INPUTS;
  if (saved + more <= limit) return;
  const what = kind === 'proxy' ? 'requests' : 'inputs';
  throw new HomeportError(
    'invalid_body',
    more === 1
      ? `${limit} ${what} are already saved here, which is the limit. Delete one first.`
      : `${saved} ${what} are already saved here and ${limit} is the limit, so ${more} more do not fit. Delete some first.`,
  );
}

const MAX_NAME = 60;

/** The name, with a number when it is taken. */
function freeName(name: string, taken: ReadonlySet<string>): string {
  let free = name;
  for (let number = 2; taken.has(free); number += 1) {
    const end = ` ${number}`;
    free = name.slice(0, MAX_NAME - end.length) + end;
  }
  return free;
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
