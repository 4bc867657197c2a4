import { requestText } from '../../platform/lib/request-text.ts';
import { readRunningFile } from '../../running-file.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { isLoopbackAddress } from '../project-environment.ts';
import { DashboardSession } from './dashboard-session.ts';
import { HubClient } from './hub-client.ts';

export interface HubAccessOptions {
  env: Record<string, string | undefined>;
  /** Port on which a hub of this user would start now. */
  port: number;
  /** Data folder of this user's own hub. */
  home: string;
  fetch: typeof fetch;
  /** Host of a hub on another computer, from the project's `.env`. */
  foreignHost?: string | undefined;
  /** Prints a message that is not a result. */
  note?: (text: string) => void;
}

export const DEFAULT_ENVIRONMENT = 'dev';

/** Finds the hub and the key for it (functions.md 8.1). */
export class HubAccess {
  readonly #options: HubAccessOptions;

  constructor(options: HubAccessOptions) {
    this.#options = options;
  }

  /**
   * Resolves to `NANGO_HOSTPORT`, else this user's running hub, else the address at which it would start
   * (`HOMEPORT_PORT`).
   */
  async address(): Promise<string> {
    const named = this.#options.env['NANGO_HOSTPORT'];
    if (named) return named.replace(/(?<!\/)\/+$/, '');
    return (await readRunningFile(this.#options.home))?.address ?? `http://127.0.0.1:${this.#options.port}`;
  }

  async open(environment = DEFAULT_ENVIRONMENT): Promise<HubClient> {
    const baseUrl = await this.address();
    const secretKey = await this.#secretKey(environment, baseUrl);
    if (!isLoopbackAddress(baseUrl)) {
      const inClear = baseUrl.startsWith('https:') ? '' : ', over an address without encryption';
      this.#options.note?.(`The key of the environment "${environment}" goes to ${baseUrl}${inClear}.`);
    }
    return new HubClient({ baseUrl, fetch: this.#options.fetch, secretKey, keySource: this.#keyVariable(environment) });
  }

  /** A command of `homeport run` works with placeholders, and must not reach their credentials by mistake (agents.md 8). */
  #refuseInRun(): void {
    if (this.#options.env['HOMEPORT_RUN'] === undefined) return;
    throw new CliFailure(
      'This is a command of "homeport run". It has placeholders, and does not sign in to the hub as you do. Run it outside.',
      EXIT.usage,
    );
  }

  /** Logs in to the dashboard's API of this user's own hub. Refuses when `NANGO_HOSTPORT` names another one. */
  async logIn(): Promise<DashboardSession> {
    this.#refuseInRun();
    const { env, home } = this.#options;
    const running = await readRunningFile(home);
    if (running && env['NANGO_HOSTPORT'] && !sameServer(running.address, await this.address()))
      throw new CliFailure(
        `This command works with the hub of the data folder ${home} (${running.address}), and NANGO_HOSTPORT names ${await this.address()}. Unset it, or run the command where that hub runs.`,
        EXIT.usage,
      );
    const session = await DashboardSession.open(home, this.#options.fetch);
    if (session) return session;
    throw noHub(home);
  }

  /** The functions folder of this user's own hub; undefined for another hub. */
  async functionsFolder(): Promise<string | undefined> {
    const { env, home, fetch: use } = this.#options;
    const running = await readRunningFile(home);
    if (env['HOMEPORT_RUN'] !== undefined || !running || !sameServer(running.address, await this.address()))
      return undefined;
    const session = await DashboardSession.open(home, use);
    return (await session?.call<{ functionsFolder: string }>('GET', '/api/v1/meta'))?.functionsFolder;
  }

  /** Name of the variable that holds the key, if there is one. */
  #keyVariable(environment: string): string | undefined {
    const names = [keyVariable(environment), 'NANGO_SECRET_KEY'];
    if (environment === DEFAULT_ENVIRONMENT) names.push('HOMEPORT_SECRET_KEY');
    return names.find((name) => this.#options.env[name]);
  }

  /**
   * Reads the key from the variables. Without one, the user's own hub is asked, which any user who can read its data
   * folder may do.
   */
  async #secretKey(environment: string, baseUrl: string): Promise<string> {
    const { env, home } = this.#options;
    const variable = keyVariable(environment);
    const named = this.#keyVariable(environment);
    if (named !== undefined) return env[named] ?? '';
    this.#refuseInRun();
    const running = await readRunningFile(home);
    if (running && sameServer(running.address, baseUrl)) {
      const session = await DashboardSession.open(home, this.#options.fetch);
      if (session) return await revealKey(session, environment, { isForCall: true });
    }
    if (this.#options.foreignHost !== undefined)
      throw new CliFailure(
        `The .env of this folder names the hub ${baseUrl} and no key for it. Put ${variable} into the same file, or set NANGO_HOSTPORT in the shell: keys of the shell do not go to a host that only a folder names.`,
      );
    if (!env['NANGO_HOSTPORT'] && !(await responds(baseUrl)))
      throw new CliFailure(
        `No hub runs with the data folder ${home}. Start it with "homeport serve" or the app; for a hub elsewhere set NANGO_HOSTPORT and ${variable}.`,
        EXIT.stopped,
      );
    throw new CliFailure(
      `No key for the environment "${environment}" of ${baseUrl}. Set ${variable} (or NANGO_SECRET_KEY), in .env or the shell; the dashboard shows it in its settings, under API keys.`,
    );
  }
}

/** Nothing runs on this user's data folder. */
export function noHub(home: string): CliFailure {
  return new CliFailure(
    `No hub runs with the data folder ${home}. Start it with "homeport serve" or the app.`,
    EXIT.stopped,
  );
}

export function keyVariable(environment: string): string {
  return `NANGO_SECRET_KEY_${environment.toUpperCase().replaceAll('-', '_')}`;
}

/** The secret key of an environment. The hub's terminal does not say that it was read for a call of the command line. */
export async function revealKey(
  session: DashboardSession,
  environment: string,
  { isForCall }: { isForCall?: true } = {},
): Promise<string> {
  const request = { query: { env: environment }, body: { kind: 'secret_key', isForCall } };
  return (await session.call<{ value: string }>('POST', '/api/v1/reveal', request)).value;
}

async function responds(baseUrl: string): Promise<boolean> {
  return requestText(`${baseUrl}/health`).then(
    ({ status }) => status === 200,
    () => false,
  );
}

/** Whether two addresses mean the same server. All loopback names are the same computer. */
function sameServer(a: string, b: string): boolean {
  const plain = (address: string): string => new URL(address).host.replace(/^(?:localhost|\[::1\]):/, '127.0.0.1:');
  return plain(a) === plain(b);
}
