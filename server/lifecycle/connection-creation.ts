import type { AuthEvents, ConnectionEvent } from '../connections/auth-events.ts';
import type {
  ConnectionContent,
  ConnectionContext,
  StoredConnection,
  StoredContent,
} from '../connections/connection.ts';
import type { ConnectionsService, OwnedMembers } from '../connections/connections.service.ts';
import type { ConnectionRow } from '../connections/connections.store.ts';
import type { Environment, EnvironmentService } from '../environments/environment.service.ts';
import type { ProviderEntry } from '../integrations/catalog/entry-schema.ts';
import type { Integration } from '../integrations/integration.ts';
import type { IntegrationsService } from '../integrations/integrations.service.ts';
import type { Operation } from '../log/operation.ts';
import type { Database, Transaction } from '../platform/database/database.ts';
import { HomeportError, isHubFault } from '../platform/lib/homeport-error.ts';
import { KeyedQueue } from '../platform/lib/keyed-queue.ts';
import { JobAborted } from '../platform/scheduler/job-kind.ts';
import type { Scheduler } from '../platform/scheduler/scheduler.ts';
import type { FunctionSyncs } from './function-syncs.ts';
import type { OnEventRunner } from './on-event-runner.ts';
import type { ProviderSteps } from './provider-steps-runner.ts';

/** Credentials for a new connection, or to replace those of an existing one. */
export interface ConnectionToCreate {
  environment: Environment;
  integration: Integration;
  entry: ProviderEntry;
  connectionId: string;
  /** Everything that the connection will hold, given what is stored under its id. */
  contentFor(stored: StoredContent | undefined): ConnectionContent;
  /** Whether `validate-connection` functions may refuse it. */
  isValidated: boolean;
  /** What a refused overwrite does: restore the old credentials, or keep the new ones with an error. */
  onRefusal: 'restore' | 'mark';
  /** True for a connection that waits for the provider's approval: it gets no syncs yet. */
  isPending?: boolean;
  operation: Operation;
}

/**
 * Kind of the job that follows a connection. It is stored together with the connection, so that every connection gets
 * its syncs even if the program ends. The creation does this work itself when it needs no waiting.
 */
export const CONNECTION_CREATED = 'connection-created';

/** Payload of a `connection-created` job. */
export interface AfterCreation {
  connectionRowId: number;
  event: ConnectionEvent;
  /** Present when functions have not validated the connection yet. */
  validation?: PendingValidation | undefined;
}

export type ConnectionCreation = ReturnType<typeof createConnectionCreation>;

/**
 * Creates every connection: stores and validates it, runs what follows, and sends the webhook (auth-and-connect.md
 * 2.1).
 */
export function createConnectionCreation({
  database,
  scheduler,
  environments,
  integrations,
  connections,
  onEvents,
  providerSteps,
  functionSyncs,
  authEvents,
}: {
  database: Database;
  scheduler: Scheduler;
  environments: EnvironmentService;
  integrations: IntegrationsService;
  connections: ConnectionsService;
  onEvents: OnEventRunner;
  providerSteps: ProviderSteps;
  functionSyncs: FunctionSyncs;
  authEvents: AuthEvents;
}) {
  const queue = new KeyedQueue();

  async function createNow(fresh: ConnectionToCreate): Promise<StoredConnection> {
    return (await canCreateAtOnce(fresh)) ? createAtOnce(fresh) : createInSteps(fresh);
  }

  /** Whether no function validates the connection, and neither functions nor a provider's step follow. */
  async function canCreateAtOnce({
    environment,
    integration,
    entry,
    isValidated,
  }: ConnectionToCreate): Promise<boolean> {
    if (providerSteps.hasStepAfter(entry)) return false;
    if (isValidated && (await onEvents.hasFunctions(environment, integration, 'validate-connection'))) return false;
    return !(await onEvents.hasFunctions(environment, integration, 'post-connection-creation'));
  }

  /** Stores the connection and what follows it in one transaction, so that no job is needed. */
  async function createAtOnce(fresh: ConnectionToCreate): Promise<StoredConnection> {
    const { environment, integration, connectionId, isPending = false } = fresh;
    await database.transaction(
      async (tx) => {
        const { id, replaced, content } = await connections.save(tx, integration, connectionId, (stored) =>
          fresh.contentFor(stored),
        );
        const connection = { ...content, id, connectionId };
        if (!isPending) await functionSyncs.createForStored(tx, integration, connection, { isNew: !replaced });
        await authEvents.succeeded(tx, { environment, integration, connection }, replaced ? 'override' : 'creation');
      },
      { durable: true, shared: true },
    );
    const connection = await connections.find(integration, connectionId);
    if (!connection) throw new HomeportError('server_error', 'The connection was removed while it was created.');
    return connection;
  }

  async function createInSteps(fresh: ConnectionToCreate): Promise<StoredConnection> {
    const { environment, integration, connectionId } = fresh;
    const { jobId, event, validation } = await store(fresh);
    try {
      const connection = await connections.find(integration, connectionId);
      if (!connection) {
        await database.transaction((tx) => scheduler.complete(tx, jobId));
        throw new HomeportError('server_error', 'The connection was removed while it was created.');
      }
      const context = { environment, integration, connection };
      const refusal = validation && (await validate(jobId, context, event, validation));
      if (refusal) return Promise.reject(refusal);
      await follow(jobId, context, event, fresh);
      return connection;
    } catch (error) {
      // Nothing else runs the reserved job before the next start.
      scheduler.leave(jobId);
      throw isHubFault(error) ? unfinished(error) : error;
    }
  }

  /** Stores the connection together with the job that follows it, for the case that the program ends. */
  function store(fresh: ConnectionToCreate): Promise<AfterCreation & { jobId: number }> {
    const { integration, connectionId, isValidated, onRefusal, operation } = fresh;
    return database.transaction(
      async (tx) => {
        const contentFor = (stored: StoredContent | undefined): ConnectionContent => fresh.contentFor(stored);
        const {
          id,
          replaced,
          obtainedAt,
          owned: content,
        } = await connections.save(tx, integration, connectionId, contentFor);
        const event: ConnectionEvent = replaced ? 'override' : 'creation';
        const validation = {
          onRefusal,
          replaced: replaced ?? null,
          stored: content,
          storedAt: obtainedAt,
          logId: operation.id,
        };
        const payload: AfterCreation = { connectionRowId: id, event, ...(isValidated ? { validation } : {}) };
        const jobId = await scheduler.reserve(tx, { kind: CONNECTION_CREATED, payload });
        return { jobId, ...payload };
      },
      { durable: true },
    );
  }

  async function follow(
    jobId: number,
    context: ConnectionContext,
    event: ConnectionEvent,
    fresh: ConnectionToCreate,
  ): Promise<void> {
    const hasSteps =
      providerSteps.hasStepAfter(fresh.entry) ||
      (await onEvents.hasFunctions(context.environment, context.integration, 'post-connection-creation'));
    // Durable, because the caller is told next: a power loss must not bring the validation back, which may refuse now.
    await database.transaction(
      (tx) =>
        hasSteps
          ? scheduler.handOver(tx, jobId, { validation: null })
          : complete(tx, jobId, context, event, fresh.isPending ?? false),
      { durable: true },
    );
  }

  async function complete(
    tx: Transaction,
    jobId: number,
    context: ConnectionContext,
    event: ConnectionEvent,
    isPending: boolean,
  ) {
    if (!isPending) await functionSyncs.createForConnection(tx, context.integration, context.connection);
    await authEvents.succeeded(tx, context, event);
    await scheduler.complete(tx, jobId);
  }

  /**
   * Whether the connection exists and functions accept it. Runs in the queue of the connection. Credentials that were
   * stored since are validated by their own creation.
   */
  function isAccepted(
    jobId: number,
    context: ConnectionContext,
    event: ConnectionEvent,
    validation: PendingValidation & { signal: AbortSignal },
  ): Promise<boolean> {
    const { id, integrationId, connectionId } = context.connection;
    return queue.run(queueKey(integrationId, connectionId), async () => {
      const current = await connections.findByRowId(id);
      if (current?.lastRefreshSuccessAt !== validation.storedAt) return current !== undefined;
      return (await validate(jobId, context, event, validation)) === undefined;
    });
  }

  /**
   * The refusal of a stored connection by its `validate-connection` functions (auth-and-connect.md 2.1). A refused new
   * connection is removed; a refused overwrite is undone or marked. Nothing follows in either case.
   */
  async function validate(
    jobId: number,
    context: ConnectionContext,
    event: ConnectionEvent,
    { onRefusal, replaced, stored, logId, signal }: PendingValidation & { signal?: AbortSignal },
  ): Promise<HomeportError | undefined> {
    const [refusal] = await onEvents.run(context, 'validate-connection', signal);
    if (!refusal) return undefined;
    const failure = new HomeportError('connection_validation_failed', refusal.message);
    await database.transaction(
      async (tx) => {
        if (!replaced) await connections.removeRefused(tx, context.connection);
        else if (onRefusal === 'restore') await connections.restore(tx, { replaced, stored, logId });
        else await connections.setError(tx, context.connection.id, { type: 'auth', source: '', logId });
        await authEvents.failed(tx, context, event, { type: failure.code, description: failure.message });
        await scheduler.complete(tx, jobId);
      },
      { durable: true },
    );
    return failure;
  }

  async function findContext(connectionRowId: number): Promise<ConnectionContext | undefined> {
    const connection = await connections.findByRowId(connectionRowId);
    const environment = connection && environments.find(connection.environmentId);
    const integration = connection && (await integrations.find(connection.environmentId, connection.integrationKey));
    return environment && integration && { environment, integration, connection };
  }

  return {
    /** One creation at a time for the same connection, because a refusal restores what its own overwrite replaced. */
    create(fresh: ConnectionToCreate): Promise<StoredConnection> {
      const { integration, connectionId } = fresh;
      return queue.run(queueKey(integration.id, connectionId), () => createNow(fresh));
    },
    /**
     * Does what the creation left to its job: the provider's step, functions, syncs, then the webhook
     * (syncs-and-records.md 1.4). When the end of the program interrupted the creation, the validation comes first.
     * Throws when the program ends.
     */
    async afterCreation(
      jobId: number,
      { connectionRowId, event, validation }: AfterCreation,
      ofJob: AbortSignal,
    ): Promise<void> {
      const signal = endOfProgram(ofJob);
      const context = await findContext(connectionRowId);
      // The connection was deleted before the job ran.
      if (!context) return;
      if (validation && !(await isAccepted(jobId, context, event, { ...validation, signal }))) return;
      await providerSteps.afterConnection(context);
      await onEvents.run(context, 'post-connection-creation', signal);
      // The provider's step may have completed the connection.
      const isPending = (await connections.findByRowId(connectionRowId))?.connectionConfig['pending'] === true;
      await database.transaction((tx) => complete(tx, jobId, context, event, isPending));
    },
  };
}

/** The connection is stored, so nobody has to send its credentials again, and they may be renewed meanwhile. */
function unfinished(cause: unknown): HomeportError {
  return new HomeportError(
    'validation_unavailable',
    'The connection was stored, but could not be checked yet. Nothing was refused; the check runs again.',
    { cause },
  );
}

function queueKey(integrationId: number, connectionId: string): string {
  return `${integrationId}:${connectionId}`;
}

/**
 * A job that exceeds its time still runs to its end. Only the end of the program interrupts it, and then the next start
 * runs it again.
 */
function endOfProgram(signal: AbortSignal): AbortSignal {
  const end = new AbortController();
  signal.addEventListener('abort', () => {
    if (signal.reason instanceof JobAborted && signal.reason.kind === 'shutdown') end.abort(signal.reason);
  });
  return end.signal;
}

/** What is needed to handle a refusal; it is stored in the job, so it survives a restart. */
export interface PendingValidation {
  /** What a refused overwrite does: restore the old credentials, or keep the new ones with an error. */
  onRefusal: 'restore' | 'mark';
  /** What the overwrite replaced, with sealed secrets; null for a new connection. */
  replaced: ConnectionRow | null;
  /** The members beside the credentials, as the overwrite stored them; jobs of earlier versions lack them. */
  stored?: OwnedMembers | undefined;
  /** When the credentials to validate were obtained, as their row says. */
  storedAt: number;
  logId: string;
}
