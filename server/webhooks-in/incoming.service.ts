import type { AuthorizationService } from '../authorization/authorization.service.ts';
import { uuid } from '../contract/fields.ts';
import type { Environment, EnvironmentService } from '../environments/environment.service.ts';
import type { DeploymentsService } from '../functions/deployments/deployments.service.ts';
import type { ProviderEntry } from '../integrations/catalog/entry-schema.ts';
import type { IntegrationsService } from '../integrations/integrations.service.ts';
import type { Operation, OperationLog } from '../log/operation.ts';
import type { Database } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import type { EventSink } from '../platform/lib/event-hub.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Ids } from '../platform/lib/ids.ts';
import type { Logger } from '../platform/lib/logger.ts';
import type { OutboundHttp } from '../platform/lib/outbound-http.ts';
import type { Scheduler } from '../platform/scheduler/scheduler.ts';
import type { SeenTime } from '../platform/scheduler/seen-time.ts';
import type { Vault } from '../platform/vault/vault.ts';
import type { SyncsService } from '../syncs/syncs.service.ts';
import type { NotificationsService } from '../webhooks-out/notifications.service.ts';
import { type IncomingRequest, type IncomingResponse, isEmptyRequest } from './incoming-request.ts';
import type { WebhookDecision } from './incoming-webhooks.store.ts';
import { createReportedInstallations } from './reported-installations.ts';
import type { WebhookRouting } from './routing/webhook-routing.ts';
import { createWebhookArchive, createWebhookRetention } from './webhook-archive.ts';
import {
  createWebhookRouter,
  type Decision,
  failedDecision,
  type MatchedConnection,
  type Repetition,
  type WebhookContext,
} from './webhook-router.ts';
import { createWebhookRuns, type IncomingEvents, type NewWebhookRun } from './webhook-runs.ts';

export { COMPLETE_INSTALLATION } from './reported-installations.ts';
export { webhookContext } from './webhook-archive.ts';
export { RUN_WEBHOOK } from './webhook-runs.ts';

/** The user's changes to a stored webhook that is repeated. */
export interface WebhookEdits extends Repetition {
  headers?: Record<string, string> | undefined;
  /** Without the question mark. */
  query?: string | undefined;
  body?: Buffer | undefined;
}

export interface RepeatedWebhook {
  id: string;
  outcome: WebhookDecision;
  status: number;
}

export type IncomingService = ReturnType<typeof createIncomingService>;

/**
 * Receives webhooks of providers: finds their connections, runs handlers, forwards them and stores them (webhooks.md
 * 2).
 */
export function createIncomingService({
  database,
  vault,
  clock,
  ids,
  logger,
  seenTime,
  log,
  http,
  scheduler,
  catalog,
  environments,
  integrations,
  deployments,
  notifications,
  syncs,
  authorization,
  events,
  publicBase,
  routings,
}: {
  database: Database;
  vault: Vault;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  seenTime: Pick<SeenTime, 'isDoubtful'>;
  log: OperationLog;
  http: Pick<OutboundHttp, 'request'>;
  scheduler: Pick<Scheduler, 'enqueue' | 'reserve' | 'complete' | 'leave'>;
  catalog: { find(name: string): ProviderEntry | undefined };
  environments: Pick<EnvironmentService, 'findByName' | 'list'>;
  integrations: Pick<IntegrationsService, 'find' | 'readAppCredentials' | 'readCustom'>;
  deployments: Pick<DeploymentsService, 'triggers'>;
  notifications: Pick<NotificationsService, 'forward'>;
  syncs: Pick<SyncsService, 'findBaseSync' | 'runWebhook' | 'reportLostWebhook'>;
  authorization: Pick<AuthorizationService, 'completeInstallation'>;
  events: EventSink<IncomingEvents>;
  /** Origin of the addresses that providers call. */
  publicBase(): string;
  /** By the catalogue's `webhook_routing_script`. */
  routings: ReadonlyMap<string, WebhookRouting>;
}) {
  /** The stored webhooks, for the inspector. */
  const archive = createWebhookArchive({ database, vault, ids });
  const runs = createWebhookRuns({ database, vault, clock, ids, scheduler, syncs, log, events });
  const router = createWebhookRouter({ http, clock, database, catalog, integrations, routings, publicBase, logger });
  const installations = createReportedInstallations({
    database,
    vault,
    logger,
    scheduler,
    environments,
    integrations,
    authorization,
    findWhere: router.findWhere,
  });
  const retention = createWebhookRetention({ database, environments, clock, logger, seenTime });

  /** A failure to store is answered like a failure of the routing, so that the provider sends the webhook again. */
  async function storeOrFail(
    context: WebhookContext,
    request: IncomingRequest,
    decision: Decision,
    receivedAt: number,
  ): Promise<Decision> {
    try {
      await store(context, request, decision, { receivedAt });
      return decision;
    } catch (error) {
      const integration = context.integration.uniqueKey;
      logger.error({ err: error, integration }, 'A webhook was not stored.');
      return failedDecision('The hub could not store the webhook.');
    }
  }

  async function resolve(uuidOrName: string, integrationKey: string): Promise<WebhookContext> {
    const uuid = uuidOrName.toLowerCase();
    const environment = environments.list().find((one) => one.uuid === uuid) ?? environments.findByName(uuidOrName);
    if (!environment) throw unknownEnvironment(uuidOrName);
    const context = await contextOf(environment, integrationKey);
    if (!context) {
      const text = `There is no integration "${integrationKey}".`;
      throw new HomeportError('unknown_provider_config', text, { status: 404, silent: true });
    }
    return context;
  }

  async function contextOf(environment: Environment, integrationKey: string): Promise<WebhookContext | undefined> {
    const integration = await integrations.find(environment.id, integrationKey);
    return integration && { environment, integration };
  }

  /** Resolves to the id of the stored webhook. */
  async function store(
    context: WebhookContext,
    request: IncomingRequest,
    decision: Decision,
    { receivedAt, replayOf = null }: { receivedAt: number; replayOf?: string | null },
  ): Promise<string> {
    const { environment, integration } = context;
    const newRuns = await runsOf(context, decision);
    // Sealing fails when the vault was locked meanwhile, so it comes before the operation starts.
    const webhook = archive.prepare(request);
    const operation = newRuns.length > 0 ? undefined : startOperation(context, decision);
    let completeInstallation: (() => Promise<void>) | undefined;
    const storing = database.transaction(
      async (tx) => {
        const connections = connectionsOf(decision);
        const { uniqueKey, provider } = integration;
        await webhook.insert(tx, {
          environmentId: environment.id,
          integrationKey: uniqueKey,
          provider,
          outcome: decision.installation ? 'installed' : decision.outcome,
          status: decision.response.status,
          signature: decision.signature,
          message: decision.message ?? null,
          eventTypes: typesOf(decision),
          connectionIds: connections.map(({ connectionId }) => connectionId),
          forwards: decision.forward
            ? await notifications.forward(
                {
                  ...context,
                  incomingId: webhook.id,
                  json: decision.forward.json,
                  headers: request.headers,
                  connections,
                },
                tx,
              )
            : 0,
          operationId: operation?.id ?? null,
          replayOf,
          durationMs: clock.now() - receivedAt,
          receivedAt,
        });
        for (const run of newRuns) await runs.enqueue(tx, { ...run, webhookId: webhook.id });
        const about = { environmentId: environment.id, integrationKey: integration.uniqueKey, webhookId: webhook.id };
        if (decision.installation) completeInstallation = await installations.reserve(tx, about, decision.installation);
      },
      // The provider sends it once: after the response not even a power cut may lose it.
      { durable: true, shared: true },
    );
    await storing.catch((error: unknown) => {
      operation?.finish('failed', {
        error: { message: 'The hub could not store the webhook; its log has the details.' },
      });
      throw error;
    });
    if (operation) endOperation(operation, decision);
    retention.note(request.rawBody.length);
    events.emit('webhook', { environmentId: environment.id, direction: 'incoming', id: webhook.id });
    await completeInstallation?.();
    return webhook.id;
  }

  /** One run for each subscribed sync and each connection that an event concerns. */
  async function runsOf(
    { environment, integration }: WebhookContext,
    { events }: Decision,
  ): Promise<Array<Omit<NewWebhookRun, 'webhookId'>>> {
    const { triggers } = deployments;
    const found: Array<Omit<NewWebhookRun, 'webhookId'>> = [];
    for (const { types, payload, connections } of events) {
      if (connections.length === 0) continue;
      const names = await triggers.listSubscribers(environment.id, integration.uniqueKey, types);
      if (names.length === 0) continue;
      const input = JSON.stringify(payload ?? {}) ?? '{}';
      for (const functionName of names)
        for (const { id, connectionId } of connections)
          found.push({
            environmentId: environment.id,
            integrationId: integration.id,
            integrationKey: integration.uniqueKey,
            provider: integration.provider,
            functionName,
            connectionRowId: id,
            connectionId,
            input,
          });
    }
    return found;
  }

  /** For a webhook without runs; each run has its own operation. */
  function startOperation({ environment, integration }: WebhookContext, decision: Decision): Operation {
    const { uniqueKey, provider } = integration;
    return log.start({
      environmentId: environment.id,
      type: 'webhook',
      action: 'incoming',
      message: `Webhook of ${provider}: ${describe(decision)}`,
      integrationKey: uniqueKey,
      providerName: provider,
      trigger: 'webhook',
      meta: { types: typesOf(decision), status: decision.response.status },
    });
  }

  return {
    archive,
    runs,
    installations,
    start: retention.start,
    stop: retention.stop,
    /**
     * Throws `invalid_uri_params`, `unknown_environment` or `unknown_provider_config` when the address cannot receive
     * webhooks.
     */
    async checkAddress(uuidOrName: string, integrationKey: string): Promise<void> {
      await resolve(uuidOrName, integrationKey);
    },
    /**
     * Resolves when everything that the webhook causes is stored; does not wait for runs and deliveries. Throws
     * `not_found` for a `GET` or `HEAD` by which the provider does not check addresses.
     */
    async receive(uuidOrName: string, integrationKey: string, request: IncomingRequest): Promise<IncomingResponse> {
      const context = await resolve(uuidOrName, integrationKey);
      const isPost = request.method === 'POST';
      const isEmpty = isPost && isEmptyRequest(request);
      // While the vault is locked, webhooks cannot be checked or stored. 503 makes providers send them again.
      if (vault.isLocked && !isEmpty)
        throw new HomeportError('vault_locked', 'The hub cannot accept webhooks at present. Send it again.', {
          status: 503,
        });
      const receivedAt = clock.now();
      const decision = await router.decide(context, request);
      // Nothing is stored for requests that neither check the address nor contain anything: anyone may send them.
      if (!decision.isAddressCheck && isEmpty) return { status: 204 };
      if (!decision.isAddressCheck && !isPost)
        throw new HomeportError('not_found', 'Webhooks are posted to this address.', { silent: true });
      const { refusal, response } = await storeOrFail(context, request, decision, receivedAt);
      if (refusal) throw refusal;
      return response;
    },
    /** Repeats a stored webhook, unchanged or edited; its log operations refer to the first one. */
    async repeat(environment: Environment, id: string, edits: WebhookEdits): Promise<RepeatedWebhook> {
      const first = await archive.get(environment.id, id);
      const rawBody = edits.body ?? first.body;
      if (!rawBody)
        throw new HomeportError(
          'webhook_body_gone',
          'The body of this webhook is not kept any more. Send another one.',
        );
      const context = await contextOf(environment, first.integrationKey);
      if (!context) throw new HomeportError('not_found', `There is no integration "${first.integrationKey}" any more.`);
      const { method, path } = first;
      const request = {
        method,
        path,
        query: edits.query ?? first.query,
        headers: edits.headers ?? first.headers,
        rawBody,
      };
      const receivedAt = clock.now();
      const decision = await router.decide(context, request, edits);
      const newId = await store(context, request, decision, { receivedAt, replayOf: first.id });
      return { id: newId, outcome: decision.outcome, status: decision.response.status };
    },
  };
}

function endOperation(operation: Operation, { outcome, message }: Decision): void {
  if (outcome === 'handled' || outcome === 'handshake') operation.finish('success');
  else operation.finish('failed', { error: { message: message ?? 'The webhook was refused.' } });
}

/** All event types, without duplicates. */
function typesOf({ events }: Decision): string[] {
  return [...new Set(events.flatMap(({ types }) => types))];
}

function describe({ outcome, events }: Decision): string {
  if (outcome === 'handshake') return 'handshake';
  if (outcome !== 'handled') return outcome === 'refused' ? 'refused' : 'failed';
  const hasMatched = events.some(({ connections }) => connections.length > 0);
  return hasMatched ? 'no sync subscribes to it' : 'no connection fits';
}

/** All matched connections, without duplicates, in the order of the events. */
function connectionsOf({ events }: Decision): MatchedConnection[] {
  const all = events.flatMap(({ connections }) => connections);
  return [...new Map(all.map((connection) => [connection.id, connection])).values()];
}

/** A UUID may be valid on another hub; another text is an unknown name (webhooks.md 2.1). */
function unknownEnvironment(uuidOrName: string): HomeportError {
  if (uuid.safeParse(uuidOrName).success)
    return new HomeportError('unknown_environment', 'There is no such environment.', { silent: true });
  const message = 'Give the UUID or the name of an environment';
  return new HomeportError('invalid_uri_params', message, {
    issues: [{ code: 'invalid_format', message, path: ['environmentUuid'] }],
  });
}
