import { platform, release } from 'node:os';
import type { Database, Transaction } from '../../database/database.ts';
import type { Clock } from '../../lib/clock.ts';
import type { EventSink } from '../../lib/event-hub.ts';
import { HomeportError } from '../../lib/homeport-error.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Logger } from '../../lib/logger.ts';
import type { OutboundHttp } from '../../lib/outbound-http.ts';
import { stableJson } from '../../lib/stable-json.ts';
import type { Scheduler } from '../../scheduler/scheduler.ts';
import { ConnectionsStore } from '../../stores/connections-store.ts';
import { WebhookAttemptsStore } from '../../stores/webhook-attempts-store.ts';
import { WebhookDeliveriesStore } from '../../stores/webhook-deliveries-store.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Environment, EnvironmentService } from '../environment/environment-service.ts';
import type { OperationLog } from '../logs/operation.ts';
import {
  type Delivery,
  DeliveryLog,
  type DeliveryLogFacts,
  type LoggedAs,
  shownPayload,
  type WebhookType,
} from './delivery.ts';
import { DeliveryHistory, DeliveryRetention } from './delivery-history.ts';
import { type DeliveryEvents, type DeliveryJob, DeliveryRunner } from './delivery-runner.ts';
import {
  type AsyncActionEvent,
  type AuthEvent,
  asyncActionPayload,
  authPayload,
  decideSync,
  destinationsOf,
  type ForwardEvent,
  forwardPayload,
  isAuthWanted,
  type SyncEvent,
  samplePayload,
  syncPayload,
} from './payloads.ts';
import { forwardedHeaders, WebhookSender } from './webhook-sender.ts';

export { DELIVER_WEBHOOK } from './delivery-runner.ts';

export interface NotificationsServiceOptions {
  database: Database;
  vault: Vault;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  http: Pick<OutboundHttp, 'request'>;
  scheduler: Scheduler;
  log: OperationLog;
  environments: Pick<EnvironmentService, 'find' | 'list' | 'revealSigningKey'>;
  events: EventSink<DeliveryEvents>;
  /** Of the program; part of the user agent. */
  version: string;
}

/** How long a forwarded webhook's operation may take (webhooks.md 1.6). */
const FORWARD_EXPIRES_MS = 15 * 60_000;

interface Webhook extends Pick<Delivery, 'type' | 'destinations'> {
  body: unknown;
  headers?: Record<string, string>;
  log: DeliveryLogFacts;
}

/**
 * Webhooks to the caller's application (webhooks.md 1). Each `notify…` decides whether and where the event goes and
 * queues it; with a transaction, the event exists if and only if that commits. Who is inside one must pass it: a
 * second one would wait for the first for ever.
 */
export class NotificationsService {
  /** What was sent and is being sent. */
  readonly history: DeliveryHistory;
  readonly #options: NotificationsServiceOptions;
  readonly #connections = new ConnectionsStore();
  readonly #log: DeliveryLog;
  readonly #runner: DeliveryRunner;
  readonly #retention: DeliveryRetention;

  constructor(options: NotificationsServiceOptions) {
    this.#options = options;
    this.#log = new DeliveryLog(options);
    const parts = {
      ...options,
      webhookDeliveriesStore: new WebhookDeliveriesStore(),
      webhookAttemptsStore: new WebhookAttemptsStore(),
      userAgent: `homeport/${options.version} (${platform()}/${release()}; node.js/${process.versions.node})`,
    };
    this.#runner = new DeliveryRunner({ ...parts, sender: new WebhookSender(options), log: this.#log });
    this.history = new DeliveryHistory({ ...parts, runner: this.#runner });
    this.#retention = new DeliveryRetention(parts);
  }

  /** Old deliveries are removed from now on. */
  start(): void {
    this.#retention.start();
  }

  /** Removes deliveries older than their retention now; the background does it once an hour. */
  removeExpired(): Promise<number> {
    return this.#retention.sweep();
  }

  /** Ends what the log shows as running. Deliveries that are not done go on at the next start. */
  async stop(): Promise<void> {
    await this.#retention.stop();
    this.#log.stop();
  }

  /** One attempt; a job's work. */
  deliver(job: DeliveryJob, signal: AbortSignal): Promise<void> {
    return this.#runner.attempt(job, signal);
  }

  async notifyAuth(event: AuthEvent, tx?: Transaction): Promise<void> {
    const { environment, operation, endUser, providerConfigKey, connectionId, provider } = event;
    const settings = this.#settingsOf(environment);
    if (!isAuthWanted(settings, event)) return;
    const payload = authPayload(event);
    await this.#queue(environment.id, tx, {
      type: 'auth',
      destinations: destinationsOf(settings, event.webhookUrlOverride),
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
  }

  async notifySync(event: SyncEvent, tx?: Transaction): Promise<void> {
    const environment = this.#options.environments.find(event.environmentId);
    if (!environment) return;
    const destinations = await this.#destinationsOf(environment, event, tx);
    const decision = decideSync(environment.settings.webhook, event);
    if (destinations.length === 0 || decision === 'unwanted') return;
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
      await this.#queue(environment.id, tx, { type: 'sync', destinations, body: payload, log });
      return;
    }
    const tellSkipped = (): void => this.#log.skipped(environment.id, log.start);
    if (tx) tx.afterCommit(tellSkipped);
    else tellSkipped();
  }

  async notifyAsyncAction(event: AsyncActionEvent, tx?: Transaction): Promise<void> {
    const { environment, operationId } = event;
    if (!this.#settingsOf(environment).onAsyncActionCompletion) return;
    const payload = asyncActionPayload(event);
    await this.#queue(environment.id, tx, {
      type: 'async_action',
      destinations: await this.#destinationsOf(environment, event, tx),
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
  }

  /**
   * Passes a provider's webhook on: once per matched connection; when none matched, once and as it came. Resolves to
   * the number of deliveries.
   */
  async forward(event: ForwardEvent, tx?: Transaction): Promise<number> {
    const { connections, environment, integration, payload } = event;
    if (!integration.forwardsWebhooks) return 0;
    const settings = this.#settingsOf(environment);
    const wrapped = connections.map(({ connectionId, webhookUrlOverride }) => ({
      connectionId,
      destinations: destinationsOf(settings, webhookUrlOverride),
      body: forwardPayload(event, connectionId) as unknown,
    }));
    const raw = { connectionId: undefined, destinations: destinationsOf(settings, null), body: payload ?? {} };
    const headers = forwardedHeaders(event.headers);
    const wanted = (wrapped.length > 0 ? wrapped : [raw]).filter(({ destinations }) => destinations.length > 0);
    await this.#inTransaction(tx, async (open) => {
      for (const { connectionId, destinations, body } of wanted) {
        const log = forwardLog(integration, connectionId);
        await this.#queue(environment.id, open, { type: 'forward', destinations, body, headers, log });
      }
    });
    return wanted.length;
  }

  /**
   * A made-up event of a type, signed and delivered like a real one, to the addresses of the environment or to `url`;
   * the id of the delivery.
   */
  async sendSample(environment: Environment, type: WebhookType, url?: string): Promise<string> {
    const destinations = url === undefined ? destinationsOf(this.#settingsOf(environment), null) : [url];
    if (destinations.length === 0)
      throw new HomeportError('invalid_body', 'There is no webhook URL to send it to. Set the primary URL first.');
    const body = samplePayload(type, environment, this.#options.clock.now());
    const start = { ...SAMPLE_LOGS[type], message: `Webhook: a sample of type ${type}` };
    const log: DeliveryLogFacts = { shownBody: body, start };
    const content = { body: stableJson(body), headers: {}, log };
    const delivery: Delivery = { environmentId: environment.id, type, cause: 'sample', destinations, content };
    return this.#options.database.transaction((tx) => this.#runner.enqueue(tx, delivery));
  }

  async #queue(environmentId: number, tx: Transaction | undefined, webhook: Webhook): Promise<void> {
    const { type, destinations, body, headers = {}, log } = webhook;
    if (destinations.length === 0 || !this.#options.environments.find(environmentId)) return;
    const content = { body: stableJson(body), headers, log };
    const delivery: Delivery = { environmentId, type, cause: 'event', destinations, content };
    await this.#inTransaction(tx, async (open) => void (await this.#runner.enqueue(open, delivery)));
  }

  /** The connection's own address is read at this moment: it may have changed during a long run. */
  async #destinationsOf(
    environment: Environment,
    { connectionId, providerConfigKey }: { connectionId: string; providerConfigKey: string },
    tx: Transaction | undefined,
  ): Promise<string[]> {
    const { database } = this.#options;
    const filter = {
      environmentId: environment.id,
      connectionId,
      integrationKeys: [providerConfigKey],
      limit: 1,
      offset: 0,
    };
    const [connection] = await this.#connections.list(tx ?? database.reader, filter);
    return destinationsOf(this.#settingsOf(environment), connection?.webhookUrlOverride);
  }

  /** As they are now: what a caller holds may be from the beginning of a long run. */
  #settingsOf({ id, settings }: Environment): Environment['settings']['webhook'] {
    return (this.#options.environments.find(id)?.settings ?? settings).webhook;
  }

  #inTransaction(tx: Transaction | undefined, work: (tx: Transaction) => Promise<void>): Promise<void> {
    return tx ? work(tx) : this.#options.database.transaction(work);
  }
}

/** Samples stand in the log where real ones do. */
const SAMPLE_LOGS: Record<WebhookType, LoggedAs> = {
  auth: { type: 'webhook', action: 'connection_create' },
  sync: { type: 'webhook', action: 'sync' },
  async_action: { type: 'action', action: 'run' },
  forward: { type: 'webhook', action: 'forward' },
};

const AUTH_WORDS = { creation: 'creation', override: 're-authorization', refresh: 'refresh' };

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
