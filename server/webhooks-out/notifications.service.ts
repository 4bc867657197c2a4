import { platform, release } from 'node:os';
import { ConnectionsStore } from '../connections/connections.store.ts';
import type { Environment, EnvironmentService } from '../environments/environment.service.ts';
import type { OperationLog } from '../log/operation.ts';
import type { Database, Transaction } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import type { EventSink } from '../platform/lib/event-hub.ts';
import { compactJson } from '../platform/lib/exact-json.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Ids } from '../platform/lib/ids.ts';
import type { Logger } from '../platform/lib/logger.ts';
import type { OutboundHttp } from '../platform/lib/outbound-http.ts';
import { stableJson } from '../platform/lib/stable-json.ts';
import type { Scheduler } from '../platform/scheduler/scheduler.ts';
import type { SeenTime } from '../platform/scheduler/seen-time.ts';
import type { Vault } from '../platform/vault/vault.ts';
import {
  createDeliveryLog,
  type Delivery,
  type DeliveryLogFacts,
  type LoggedAs,
  shownPayload,
  type WebhookType,
} from './delivery.ts';
import { createDeliveryHistory, createDeliveryRetention } from './delivery-history.ts';
import { createDeliveryRunner, type DeliveryEvents } from './delivery-runner.ts';
import {
  type AsyncActionEvent,
  type AuthEvent,
  asyncActionPayload,
  authPayload,
  decideSync,
  destinationsOf,
  type ForwardEvent,
  forwardBody,
  isAuthWanted,
  type SyncEvent,
  samplePayload,
  syncPayload,
  type WebhookPayload,
} from './payloads.ts';
import { WebhookAttemptsStore } from './webhook-attempts.store.ts';
import { WebhookDeliveriesStore } from './webhook-deliveries.store.ts';
import { WebhookDestinationsStore } from './webhook-destinations.store.ts';
import { createWebhookDestinations, type FilteredEvent, type WebhookDestination } from './webhook-destinations.ts';
import { createWebhookSender, forwardedHeaders } from './webhook-sender.ts';

export { attemptContext, DELIVER_WEBHOOK, deliveryContext } from './delivery-runner.ts';

/** Limit for the operation of a forwarded webhook (webhooks.md 1.6). */
const FORWARD_EXPIRES_MS = 15 * 60_000;

/** Destinations of an event: `urls` are tried one after the other, and each of `further` gets a separate delivery. */
interface Targets {
  urls: string[];
  further: WebhookDestination[];
}

interface Webhook extends Pick<Delivery, 'type' | 'incomingId'> {
  targets: Targets;
  /** A text is sent as it is. */
  body: WebhookPayload | string;
  headers?: Record<string, string>;
  log: DeliveryLogFacts;
}

export type NotificationsService = ReturnType<typeof createNotificationsService>;

/**
 * Webhooks to the caller's app (webhooks.md 1). Each `notify…` method decides whether and where an event is sent, and
 * enqueues the deliveries: in `tx` when it is given, else in a transaction of its own. Pass `tx` when already inside a
 * transaction; a nested one throws.
 */
export function createNotificationsService({
  database,
  vault,
  clock,
  ids,
  logger,
  seenTime,
  http,
  scheduler,
  log,
  environments,
  events,
  version,
}: {
  database: Database;
  vault: Vault;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  seenTime: Pick<SeenTime, 'isDoubtful'>;
  http: Pick<OutboundHttp, 'request'>;
  scheduler: Scheduler;
  log: OperationLog;
  environments: Pick<EnvironmentService, 'find' | 'list' | 'signingKeys'>;
  events: EventSink<DeliveryEvents>;
  /** Version of the program; part of the user agent. */
  version: string;
}) {
  const connectionsStore = new ConnectionsStore();
  const webhookDeliveriesStore = new WebhookDeliveriesStore();
  const webhookAttemptsStore = new WebhookAttemptsStore();
  const webhookDestinationsStore = new WebhookDestinationsStore();
  const userAgent = `homeport/${version} (${platform()}/${release()}; node.js/${process.versions.node})`;
  const deliveryLog = createDeliveryLog({ log, clock });
  const runner = createDeliveryRunner({
    database,
    webhookDeliveriesStore,
    webhookAttemptsStore,
    webhookDestinationsStore,
    vault,
    clock,
    ids,
    scheduler,
    environments,
    sender: createWebhookSender({ http, clock }),
    log: deliveryLog,
    userAgent,
    events,
  });
  /** Destinations in addition to the primary and the secondary URL. */
  const destinations = createWebhookDestinations({
    database,
    webhookDestinationsStore,
    webhookDeliveriesStore,
    vault,
    clock,
    ids,
    log: deliveryLog,
    events,
  });
  /** Webhooks that were or are being sent. */
  const history = createDeliveryHistory({
    database,
    webhookDeliveriesStore,
    webhookAttemptsStore,
    vault,
    environments,
    runner,
    furtherDestinations: destinations,
    userAgent,
  });
  const retention = createDeliveryRetention({
    database,
    webhookDeliveriesStore,
    environments,
    clock,
    logger,
    seenTime,
  });

  async function queue(environmentId: number, tx: Transaction | undefined, webhook: Webhook): Promise<void> {
    const { type, incomingId, targets, body, headers = {}, log } = webhook;
    if (hasNoTarget(targets) || !environments.find(environmentId)) return;
    const content = { body: typeof body === 'string' ? body : stableJson(body), headers, log };
    const delivery = { environmentId, type, cause: 'event', incomingId, content } as const;
    await inTransaction(tx, async (open) => {
      if (targets.urls.length > 0) await runner.enqueue(open, { ...delivery, destinations: targets.urls });
      // Separate deliveries, so that a slow or failing destination does not delay the others.
      for (const { id, url } of targets.further)
        await runner.enqueue(open, { ...delivery, destinations: [url], webhookDestinationId: id });
    });
  }

  async function targetsOf(
    environment: Environment,
    event: FilteredEvent,
    override: string | null | undefined,
    tx: Transaction | undefined,
  ): Promise<Targets> {
    const further = await destinations.listFor(environment.id, event, tx);
    return toTargets(settingsOf(environment), override, further);
  }

  /** Reads the connection's own address now, because it may have changed during a long run. */
  async function targetsOfConnection(
    environment: Environment,
    type: WebhookType,
    of: { connectionId: string; providerConfigKey: string; webhookUrlOverride?: string | null },
    tx: Transaction | undefined,
  ): Promise<Targets> {
    const override =
      of.webhookUrlOverride === undefined ? await findOverride(environment, of, tx) : of.webhookUrlOverride;
    return targetsOf(environment, { type, integrationKey: of.providerConfigKey }, override, tx);
  }

  async function findOverride(
    environment: Environment,
    { connectionId, providerConfigKey }: { connectionId: string; providerConfigKey: string },
    tx: Transaction | undefined,
  ): Promise<string | null | undefined> {
    const [connection] = await connectionsStore.list(tx ?? database.reader, {
      environmentId: environment.id,
      connectionId,
      integrationKeys: [providerConfigKey],
      limit: 1,
      offset: 0,
    });
    return connection?.webhookUrlOverride;
  }

  /** Reads the current settings; the caller's copy may be from the beginning of a long run. */
  function settingsOf({ id, settings }: Environment): Environment['settings']['webhook'] {
    return (environments.find(id)?.settings ?? settings).webhook;
  }

  function inTransaction<T>(tx: Transaction | undefined, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return tx ? work(tx) : database.transaction(work);
  }

  return {
    history,
    destinations,
    /** Starts the removal of old deliveries. */
    start: retention.start,
    /** Removes deliveries beyond their retention; also done in the background once an hour. */
    removeExpired: (): Promise<number> => retention.sweep(),
    /** Ends the log operations of deliveries. Unfinished deliveries continue at the next start. */
    async stop(): Promise<void> {
      await retention.stop();
      deliveryLog.stop();
    },
    /** Makes one attempt; called by a job. */
    deliver: runner.attempt,
    async notifyAuth(event: AuthEvent, tx?: Transaction): Promise<void> {
      const { environment, operation, endUser, providerConfigKey, connectionId, provider } = event;
      const settings = settingsOf(environment);
      if (!isAuthWanted(settings, event)) return;
      const payload = authPayload(event);
      await queue(environment.id, tx, {
        type: 'auth',
        targets: await targetsOf(
          environment,
          { type: 'auth', integrationKey: providerConfigKey },
          event.webhookUrlOverride,
          tx,
        ),
        body: payload,
        log: {
          shownBody: shownPayload(payload),
          start: {
            type: 'webhook',
            action: operation === 'creation' ? 'connection_create' : 'connection_refresh',
            message: `Webhook: connection ${AUTH_WORDS[operation]}${event.success ? '' : ' failed'}`,
            integrationKey: providerConfigKey,
            providerName: provider,
            connectionId,
            ...(endUser ? { endUserId: endUser.id } : {}),
            ...(endUser?.displayName ? { endUserName: endUser.displayName } : {}),
          },
        },
      });
    },
    async notifySync(event: SyncEvent, tx?: Transaction): Promise<void> {
      const environment = environments.find(event.environmentId);
      if (!environment) return;
      const decision = decideSync(environment.settings.webhook, event);
      if (decision === 'unwanted') return;
      const targets = await targetsOfConnection(environment, 'sync', event, tx);
      if (hasNoTarget(targets)) return;
      const payload = syncPayload(event);
      const log: DeliveryLogFacts = {
        shownBody: shownPayload(payload),
        start: {
          type: 'webhook',
          action: 'sync',
          message: `Webhook: ${event.syncName} ${event.success ? `synced ${event.model}` : 'failed'}`,
          integrationKey: event.providerConfigKey,
          providerName: event.providerName,
          connectionId: event.connectionId,
          functionName: event.syncName,
          meta: { variant: event.syncVariant },
        },
      };
      if (decision === 'wanted') {
        await queue(environment.id, tx, { type: 'sync', targets, body: payload, log });
        return;
      }
      const logSkipped = (): void => deliveryLog.skipped(environment.id, log.start);
      if (tx) tx.afterCommit(logSkipped);
      else logSkipped();
    },
    async notifyAsyncAction(event: AsyncActionEvent, tx?: Transaction): Promise<void> {
      const { environment, operationId } = event;
      if (!settingsOf(environment).onAsyncActionCompletion) return;
      const payload = asyncActionPayload(event);
      await queue(environment.id, tx, {
        type: 'async_action',
        targets: await targetsOfConnection(environment, 'async_action', event, tx),
        body: payload,
        log: {
          shownBody: payload,
          ...(operationId === undefined ? {} : { operationId }),
          start: {
            type: 'action',
            action: 'run',
            message: `Webhook: ${event.actionName} ended without running`,
            integrationKey: event.providerConfigKey,
            connectionId: event.connectionId,
            functionName: event.actionName,
          },
        },
      });
    },
    /**
     * Forwards a provider's webhook: once per matched connection, or once and unchanged when no connection matched.
     * Resolves to the number of webhooks; each may have several destinations.
     */
    async forward(event: ForwardEvent, tx?: Transaction): Promise<number> {
      const { connections, environment, integration, json } = event;
      if (!integration.forwardsWebhooks) return 0;
      const headers = forwardedHeaders(event.headers);
      const settings = settingsOf(environment);
      const filtered: FilteredEvent = { type: 'forward', integrationKey: integration.uniqueKey };
      return inTransaction(tx, async (open) => {
        const further = await destinations.listFor(environment.id, filtered, open);
        const wrapped = connections.map(({ connectionId, webhookUrlOverride }) => ({
          connectionId,
          targets: toTargets(settings, webhookUrlOverride, further),
          body: forwardBody(event, connectionId),
        }));
        const raw = { connectionId: undefined, targets: toTargets(settings, null, further), body: compactJson(json) };
        const wanted = (wrapped.length > 0 ? wrapped : [raw]).filter(({ targets }) => !hasNoTarget(targets));
        for (const { connectionId, targets, body } of wanted) {
          const log = forwardLog(integration, connectionId);
          const { incomingId } = event;
          await queue(environment.id, open, { type: 'forward', incomingId, targets, body, headers, log });
        }
        return wanted.length;
      });
    },
    /**
     * Sends a sample event of a type, signed and delivered like a real one: to the primary and the secondary URL, or to
     * `to` alone, regardless of filters and switches. Resolves to the id of the delivery.
     */
    async sendSample(environment: Environment, type: WebhookType, to?: string | WebhookDestination): Promise<string> {
      const further = typeof to === 'object' ? to : undefined;
      const url = typeof to === 'object' ? to.url : to;
      const destinations = url === undefined ? destinationsOf(settingsOf(environment), null) : [url];
      if (destinations.length === 0)
        throw new HomeportError('invalid_body', 'There is no webhook URL to send it to. Set the primary URL first.');
      const body = samplePayload(type, environment, clock.now());
      const start = { ...SAMPLE_LOGS[type], message: `Webhook: a sample of type ${type}` };
      const log: DeliveryLogFacts = { shownBody: body, start };
      const content = { body: stableJson(body), headers: {}, log };
      const facts = { environmentId: environment.id, type, cause: 'sample' } as const;
      const delivery: Delivery = { ...facts, destinations, webhookDestinationId: further?.id, content };
      return database.transaction((tx) => runner.enqueue(tx, delivery));
    },
  };
}

/** A connection's own address replaces every destination of the environment. */
function toTargets(
  settings: Environment['settings']['webhook'],
  override: string | null | undefined,
  further: WebhookDestination[],
): Targets {
  return { urls: destinationsOf(settings, override), further: override ? [] : further };
}

const hasNoTarget = ({ urls, further }: Targets): boolean => urls.length === 0 && further.length === 0;

/** How a sample is logged: like a real event of its type. */
const SAMPLE_LOGS: Record<WebhookType, LoggedAs> = {
  auth: { type: 'webhook', action: 'connection_create' },
  sync: { type: 'webhook', action: 'sync' },
  async_action: { type: 'action', action: 'run' },
  forward: { type: 'webhook', action: 'forward' },
};

const AUTH_WORDS = { creation: 'creation', override: 're-authorization', refresh: 'refresh', deletion: 'deletion' };

function forwardLog(integration: ForwardEvent['integration'], connectionId: string | undefined): DeliveryLogFacts {
  return {
    shownBody: '[not logged]',
    expiresInMs: FORWARD_EXPIRES_MS,
    start: {
      type: 'webhook',
      action: 'forward',
      message: `Forward a webhook of ${integration.provider}`,
      integrationKey: integration.uniqueKey,
      providerName: integration.provider,
      ...(connectionId === undefined ? {} : { connectionId }),
    },
  };
}
