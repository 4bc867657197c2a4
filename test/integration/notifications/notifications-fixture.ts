import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Nango } from '@nangohq/node';
import {
  createEnvironmentService,
  type Environment,
  type EnvironmentService,
} from '../../../server/environments/environment.service.ts';
import type { StoredEnvironmentSettings } from '../../../server/environments/environment-settings.ts';
import type {
  LogMessage,
  Operation,
  OperationEnd,
  OperationLog,
  OperationStart,
} from '../../../server/log/operation.ts';
import { Database } from '../../../server/platform/database/database.ts';
import { migrate } from '../../../server/platform/database/migrate.ts';
import { randomIds } from '../../../server/platform/lib/ids.ts';
import { silentLogger } from '../../../server/platform/lib/logger.ts';
import { OutboundHttp } from '../../../server/platform/lib/outbound-http.ts';
import { Scheduler } from '../../../server/platform/scheduler/scheduler.ts';
import type { StoredKey } from '../../../server/platform/vault/master-key.ts';
import { Vault } from '../../../server/platform/vault/vault.ts';
import { MIGRATIONS } from '../../../server/schema/migration-list.ts';
import { deliverWebhook } from '../../../server/webhooks-out/deliver-webhook.job.ts';
import {
  createNotificationsService,
  DELIVER_WEBHOOK,
  type NotificationsService,
} from '../../../server/webhooks-out/notifications.service.ts';
import type { AuthEvent } from '../../../server/webhooks-out/payloads.ts';
import { DatabaseTurns } from '../../support/database-turns.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { FakeProvider, type RecordedRequest } from '../../support/fake-provider.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { trueTime } from '../../support/true-time.ts';
import { waitFor } from '../../support/wait-for.ts';

interface LoggedOperation {
  start: OperationStart | undefined;
  messages: LogMessage[];
  state: string | undefined;
  end: OperationEnd | undefined;
}

/** An operation log that records its calls. */
export class KeptLog implements OperationLog {
  readonly operations: LoggedOperation[] = [];

  start(start: OperationStart): Operation {
    return this.#open(start);
  }

  attach(): Operation {
    return { ...this.#open(undefined), finish: () => {} };
  }

  #open(start: OperationStart | undefined): Operation {
    const kept: LoggedOperation = { start, messages: [], state: undefined, end: undefined };
    this.operations.push(kept);
    return {
      id: randomIds.uuid(),
      log: (message) => void kept.messages.push(message),
      begin: () => {},
      redactSecrets: () => {},
      redact: (text) => text,
      record: () => undefined,
      measure: () => {},
      noteStack: () => {},
      finish: (state, end) => void Object.assign(kept, { state, end }),
    };
  }
}

/** The notifications service over a real database and real receivers, with a clock of the test. */
export class NotificationsFixture {
  readonly clock = new FakeClock();
  readonly log = new KeptLog();
  readonly receiver: FakeProvider;
  readonly changes: string[] = [];
  ownPort: number | undefined;
  database!: Database;
  #turns!: DatabaseTurns;
  environments!: EnvironmentService;
  notifications!: NotificationsService;
  readonly #home: TempHome;
  readonly #masterKey = randomBytes(32).toString('base64');
  #scheduler!: Scheduler;
  #http!: OutboundHttp;
  #wrappedKey: StoredKey | undefined;

  private constructor(home: TempHome, receiver: FakeProvider) {
    this.#home = home;
    this.receiver = receiver;
  }

  static async open(): Promise<NotificationsFixture> {
    const fixture = new NotificationsFixture(await createTempHome(), await FakeProvider.start());
    await fixture.#build();
    await fixture.#scheduler.start();
    return fixture;
  }

  async #build(): Promise<void> {
    const { clock } = this;
    const file = this.file;
    const database = await Database.open({ file });
    await migrate({ database, migrations: MIGRATIONS, clock, logger: silentLogger });
    const vault = await Vault.open({
      override: this.#masterKey,
      keychain: { read: async () => undefined, write: async () => {}, remove: async () => {} },
      keyFile: join(this.#home.path, 'master.key'),
      store: {
        load: async () => this.#wrappedKey,
        save: async (wrapped) => {
          this.#wrappedKey = wrapped;
        },
      },
    });
    const shared = { database, vault, clock, ids: randomIds };
    const environments = createEnvironmentService({
      ...shared,
      defaultLogLevel: undefined,
    });
    await environments.start();
    this.#scheduler = new Scheduler({ database, clock, logger: silentLogger });
    this.#http = new OutboundHttp({ ownPort: () => this.ownPort });
    this.database = database;
    this.#turns = new DatabaseTurns(database);
    this.environments = environments;
    this.notifications = createNotificationsService({
      seenTime: trueTime,
      ...shared,
      environments,
      scheduler: this.#scheduler,
      http: this.#http,
      log: this.log,
      logger: silentLogger,
      events: { emit: (_name, { id }) => void this.changes.push(id) },
      version: '0.0.0',
    });
    this.#scheduler.register(DELIVER_WEBHOOK, deliverWebhook({ notifications: this.notifications }));
  }

  get file(): string {
    return join(this.#home.path, 'homeport.db');
  }

  get environment(): Environment {
    const [first] = this.environments.list();
    if (!first) throw new Error('There is no environment.');
    return first;
  }

  async set(webhook: Partial<StoredEnvironmentSettings['webhook']>): Promise<void> {
    await this.environments.change(this.environment.id, { webhook });
  }

  auth(part: Partial<AuthEvent> = {}): AuthEvent {
    return {
      environment: this.environment,
      connectionId: 'c-1',
      providerConfigKey: 'github',
      provider: 'github',
      authMode: 'OAUTH2',
      operation: 'creation',
      success: true,
      ...part,
    };
  }

  /** The official client, which verifies with the given key. */
  async client(webhookSigningKey?: string): Promise<Nango> {
    const secretKey = await this.environments.revealSecretKey(this.environment.id);
    return new Nango({ secretKey, ...(webhookSigningKey === undefined ? {} : { webhookSigningKey }) });
  }

  /** Waits until a path of the receiver has been requested this many times. */
  async received(path: string, count: number): Promise<RecordedRequest[]> {
    return waitFor(
      () => {
        const requests = this.receiver.requestsTo(path);
        return requests.length >= count ? requests : undefined;
      },
      { what: `${count} requests to ${path}` },
    );
  }

  /** Waits until the next attempt of the newest delivery is stored. */
  async stands(destination: number, attempt: number): Promise<void> {
    await waitFor(
      async () => {
        const [row] = await this.deliveries();
        return row?.destination === destination && row.attempt === attempt;
      },
      { what: `attempt ${attempt} at destination ${destination}` },
    );
    await this.idle();
  }

  /** Waits until no delivery is running. */
  async settled(): Promise<void> {
    const areOver = async (): Promise<boolean> => (await this.deliveries()).every(({ state }) => state !== 'waiting');
    await waitFor(areOver, { what: 'the end of every delivery' });
    await this.idle();
  }

  /** Newest first. */
  deliveries(): Promise<Array<{ state: string; destination: number; attempt: number; failures: number }>> {
    return this.database.reader.all(
      'SELECT state, destination, attempt, failures FROM webhook_deliveries ORDER BY seq DESC',
    );
  }

  /** Lets the scheduler finish its current work. */
  async idle(): Promise<void> {
    await this.#turns.pass(30);
  }

  async advance(ms: number): Promise<void> {
    await this.idle();
    await this.clock.advance(ms);
    await this.idle();
  }

  /** Stops the program in order and starts it again on the same data. */
  async restart(): Promise<void> {
    await this.#stop();
    await this.#build();
    await this.#scheduler.start();
  }

  async #stop(): Promise<void> {
    let isStopped = false;
    const stopping = this.#scheduler.stop(50).then(() => {
      isStopped = true;
    });
    // Far less than the time limit of an attempt, however long the machine takes.
    for (let count = 0; count < 20 && !isStopped; count++) {
      await this.idle();
      await this.clock.advance(50);
    }
    await stopping;
    await this.notifications.stop();
    await this.#http.stop();
    await this.idle();
    await this.database.close();
  }

  async close(): Promise<void> {
    await this.#stop();
    await this.receiver.stop();
    await this.#home.remove();
  }
}
