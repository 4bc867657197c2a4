import { request } from 'node:http';
import { join } from 'node:path';
import { Agent, fetch } from 'undici';
import type { RunningApp } from '../../../server/app.ts';
import type { Resources } from '../../../server/resources.ts';
import type { Boot, Machine } from '../machine.ts';
import { forgetWatchers } from '../seams/no-watcher.ts';
import { realFiles, type SimulatedFiles } from '../seams/simulated-files.ts';
import type { SimulatedNetwork } from '../seams/simulated-network.ts';
import { forgetLibraryTimers } from '../seams/simulated-timers.ts';
import type { SimulatedWorkers } from '../seams/simulated-workers.ts';
import { WalOnDisk } from '../seams/wal-on-disk.ts';
import { APP_PORT, HUB_PORT, PROVIDER_PORT } from './constants.ts';

export interface Answer {
  /** 0: the connection broke, so that nobody knows. */
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: documents of any shape
  body: any;
  cookies?: string;
  location?: string;
}

/** Modules of the hub, loaded after the seams are in place. */
export type HubModules = Pick<typeof import('../../../server/app.ts'), 'startApp'> &
  Pick<typeof import('../../../server/config.ts'), 'readConfig'> &
  Pick<typeof import('../../../server/platform/lib/logger.ts'), 'createLogger'> &
  Pick<typeof import('../../../server/offline-data.ts'), 'OfflineData'>;

export interface HubParts {
  machine: Machine;
  network: SimulatedNetwork;
  files: SimulatedFiles;
  workers: SimulatedWorkers;
  modules: HubModules;
  resources: Resources;
  home: string;
  secretKey: string;
}

/** The hub on the machine: its data folder outlives its processes. */
export class SimulatedHub {
  /** Lines of the program's own log, warnings and errors. */
  readonly log: string[] = [];
  app: RunningApp | undefined;
  readonly #parts: HubParts;
  readonly #wal: WalOnDisk;
  #session: { cookie: string; csrf: string } | undefined;
  #ids = 0;

  constructor(parts: HubParts) {
    this.#parts = parts;
    this.#wal = new WalOnDisk(join(parts.home, 'homeport.db'));
  }

  get isOn(): boolean {
    return this.app !== undefined && this.#parts.machine.boot.isOn;
  }

  get config() {
    const { home, modules, secretKey } = this.#parts;
    return modules.readConfig({
      HOMEPORT_PORT: String(HUB_PORT),
      HOMEPORT_PRACTICE_PORT: '0',
      HOMEPORT_HOME: home,
      HOMEPORT_SECRET_KEY: secretKey,
      HOMEPORT_WEBHOOK_URL: `http://127.0.0.1:${APP_PORT}/hook`,
      HOMEPORT_TYPE_CHECK: '0',
    });
  }

  /** Power on. Resolves to false when the process ended during its start; throws what the start threw. */
  async start(prepare: (boot: Boot) => void = () => {}): Promise<boolean> {
    const { machine, modules, resources } = this.#parts;
    const boot = machine.newBoot();
    boot.onSlow = (ms) => machine.clock.spend(ms);
    boot.onWrite = (file, sql) => this.#wal.note(file, sql);
    prepare(boot);
    // The connections of a process end with it.
    const dispatcher = new Agent();
    forgetLibraryTimers();
    globalThis.fetch = ((url: string, init: object) => fetch(url, { ...init, dispatcher })) as never;
    const { random } = machine;
    const starting = modules.startApp({
      config: this.config,
      resources,
      logger: modules.createLogger({ level: 'warn', write: (line) => this.#note(boot, line) }),
      clock: machine.clock,
      ids: {
        hex: (count) => random.hex(count),
        uuid: () => uuid(random.hex(16), ++this.#ids),
      },
    });
    let outcome: { app: RunningApp } | { error: unknown } | undefined;
    starting.then(
      (app) => {
        outcome = { app };
      },
      (error: unknown) => {
        outcome = { error };
      },
    );
    const isDone = await machine.run(() => outcome !== undefined || !boot.isOn, 120_000);
    if (!boot.isOn) return false;
    if (!isDone || !outcome) throw new Error('the hub does not start');
    if ('error' in outcome) {
      const { error } = outcome;
      await this.#endProcess(false);
      throw error;
    }
    this.app = outcome.app;
    this.#session = undefined;
    return true;
  }

  /** As after SIGTERM. Resolves to false when the process was killed meanwhile. */
  async stop(): Promise<boolean> {
    const { machine } = this.#parts;
    const { app } = this;
    if (!app) return true;
    await machine.until('stop', app.stop()).catch((error: unknown) => {
      if (machine.boot.isOn) this.log.push(`stop: ${String(error)}`);
    });
    const isOrderly = machine.boot.isOn;
    await this.#endProcess(false);
    return isOrderly;
  }

  /** SIGKILL: what was written is in the files. With a power loss only what was written to the disk. */
  async kill(losesPower = false): Promise<void> {
    this.#parts.machine.boot.end();
    await this.#endProcess(losesPower);
  }

  async #endProcess(losesPower: boolean): Promise<void> {
    const { files, home, machine, network, workers } = this.#parts;
    const { boot } = machine;
    boot.isOn = false;
    this.app = undefined;
    forgetWatchers();
    await machine.clear();
    files.endProcess();
    const kept = setAside([...boot.handles].map(({ path }) => path));
    for (const handle of [...boot.handles]) handle.shut();
    workers.endProcess();
    network.endProcess(new Set([PROVIDER_PORT, APP_PORT]));
    await machine.clear();
    kept.putBack();
    realFiles.rmSync(join(home, 'homeport.db-shm'), { force: true });
    if (losesPower) {
      this.#wal.losePower(machine.random);
      files.losePower();
    }
    this.#wal.begin();
  }

  call(
    method: string,
    path: string,
    {
      body,
      key = this.#parts.secretKey,
      headers = {},
    }: { body?: unknown; key?: string; headers?: Record<string, string> } = {},
  ): Promise<Answer> {
    return this.#send(method, path, body, { authorization: `Bearer ${key}`, ...headers });
  }

  /** A call of the dashboard, by the person at this computer. */
  async dashboard(method: string, path: string, body?: unknown): Promise<Answer> {
    const origin = `http://127.0.0.1:${HUB_PORT}`;
    if (!this.#session) {
      const code = this.app?.loginUrl().split('#code=')[1];
      const signedIn = await this.#send('POST', '/api/v1/session', { code }, { origin, 'x-homeport-csrf': '1' });
      if (signedIn.status !== 200) return signedIn;
      this.#session = { cookie: (signedIn.cookies ?? '').split(';')[0] ?? '', csrf: signedIn.body.csrfToken };
    }
    const { cookie, csrf } = this.#session;
    const answer = await this.#send(method, path, body, { cookie, origin, 'x-homeport-csrf': csrf });
    if (answer.status === 401) this.#session = undefined;
    return answer;
  }

  /** A request without a key: callbacks, webhooks. */
  open(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.#send(method, path, body, {});
  }

  #send(method: string, path: string, body: unknown, headers: Record<string, string>): Promise<Answer> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const broken: Answer = { status: 0, body: undefined };
    // What the end of a process leaves waiting is dropped.
    if (!this.#parts.machine.boot.isOn) return Promise.resolve(broken);
    return new Promise((resolve) => {
      const sent = request({
        method,
        path,
        host: '127.0.0.1',
        port: HUB_PORT,
        headers: {
          host: `127.0.0.1:${HUB_PORT}`,
          connection: 'close',
          ...headers,
          ...(text === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
        },
        createConnection: () => this.#parts.network.connect(HUB_PORT) as never,
      });
      sent.on('error', () => resolve(broken));
      sent.on('response', (response) => {
        let received = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          received += chunk;
        });
        response.on('error', () => resolve(broken));
        response.on('close', () => resolve(broken));
        response.on('end', () => {
          const cookies = response.headers['set-cookie']?.[0];
          const { location } = response.headers;
          resolve({
            status: response.statusCode ?? 0,
            body: parsed(received),
            ...(cookies === undefined ? {} : { cookies }),
            ...(location === undefined ? {} : { location }),
          });
        });
      });
      sent.end(text);
    });
  }

  #note(boot: Boot, line: string): void {
    if (boot.isOn) this.log.push(line);
  }
}

/**
 * Databases as the end of the process leaves them: the end of the last handle copies the log into the database, and
 * removes it.
 */
function setAside(databases: readonly string[]): { putBack(): void } {
  const files = [...new Set(databases)].flatMap((path) => [path, `${path}-wal`]);
  const kept = files.filter((file) => realFiles.existsSync(file));
  const aside = (file: string): string => `${file}-aside`;
  for (const file of kept) realFiles.cpSync(file, aside(file), { preserveTimestamps: true });
  return {
    putBack: () => {
      for (const file of files) realFiles.rmSync(file, { force: true });
      for (const file of kept) realFiles.renameSync(aside(file), file);
    },
  };
}

function parsed(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}

function uuid(hex: string, count: number): string {
  const unique = count.toString(16).padStart(12, '0');
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, unique].join('-');
}
