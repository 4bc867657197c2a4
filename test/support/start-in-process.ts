import { type RunningApp, startApp } from '../../server/app.ts';
import type { AppOptions } from '../../server/app-infrastructure.ts';
import { type Config, readConfig } from '../../server/config.ts';
import { PortInUseError } from '../../server/platform/http/listener.ts';
import { type Clock, systemClock } from '../../server/platform/lib/clock.ts';
import { createLogger, type Logger } from '../../server/platform/lib/logger.ts';
import type { Resources } from '../../server/resources.ts';
import { builtResources } from './built-resources.ts';
import { makeFunctionsFolder, type ServerAddress, serverEnvironment, shareCompiledFunctions } from './start-server.ts';
import { createTempHome, type TempHome } from './temp-home.ts';

const KEPT_OUTPUT = 20_000;
/** Half a minute in all. A longer stop counts as a hang. */
const STOP_TIME_FACTOR = 8;

export interface InProcessOptions {
  /** Further environment variables of the server. */
  env?: Record<string, string>;
  /** A clock of the test; default: the system's. */
  clock?: Clock;
  logger?: Logger;
  /** An existing data folder, kept at the end; default: a temporary one, removed by `stop`. */
  home?: string;
  /** See `StartServerOptions`. */
  hasExamples?: boolean;
  /** On the port of the last such server of this process if it is free: a browser keeps the scripts of an address. */
  keepsPort?: boolean;
  /** Files of the test in place of the shipped ones. */
  resources?: Partial<Resources>;
  webhookRoutings?: AppOptions['webhookRoutings'];
  providerSilenceMs?: number;
}

export interface InProcessServer extends ServerAddress {
  readonly home: string;
  readonly workspace: string;
  /** A code that signs in one browser, once. */
  issueLinkCode(): string;
  /** A link that signs in one browser to the dashboard, once. */
  loginUrl(): string;
  /** The program's own log, from warnings on, unless the test has a logger of its own. */
  errorOutput(): string;
  /** Removes a temporary home. */
  stop(): Promise<void>;
  /** Everything stays in place for `restart`. */
  end(): Promise<void>;
  /** Starts again on the same data and port, so that `url` stays; stops first when it still runs. */
  restart(): Promise<void>;
}

/** The whole server inside the test's own process: it starts faster, and its clock can be the test's. */
export async function startInProcess(options: InProcessOptions = {}): Promise<InProcessServer> {
  const tempHome = options.home === undefined ? await createTempHome() : undefined;
  const home = options.home ?? tempHome?.path ?? '';
  try {
    return await AppInProcess.start(options, home, tempHome);
  } catch (error) {
    await tempHome?.remove();
    throw error;
  }
}

class AppInProcess implements InProcessServer {
  readonly url: string;
  readonly secretKey: string;
  readonly home: string;
  readonly workspace: string;
  readonly #options: InProcessOptions;
  readonly #env: Record<string, string>;
  readonly #tempHome: TempHome | undefined;
  #run: AppRun;
  #isRunning = true;

  private constructor(
    { config, ...run }: AppRun & { config: Config },
    env: Record<string, string>,
    options: InProcessOptions,
    tempHome: TempHome | undefined,
  ) {
    this.url = run.app.address;
    this.secretKey = config.secretKey ?? '';
    this.home = config.home;
    this.workspace = config.functionsFolder;
    this.#run = run;
    this.#env = env;
    this.#options = options;
    this.#tempHome = tempHome;
  }

  static async start(
    options: InProcessOptions,
    home: string,
    tempHome: TempHome | undefined,
  ): Promise<InProcessServer> {
    const env = serverEnvironment(home, options.env);
    if (!options.hasExamples) await makeFunctionsFolder(env);
    if (tempHome) await shareCompiledFunctions(home, 'sources');
    const run = await (options.keepsPort ? runOnKeptPort(env, options) : runApp(env, options));
    return new AppInProcess(run, env, options, tempHome);
  }

  issueLinkCode(): string {
    return this.loginUrl().split('#code=')[1] ?? '';
  }

  loginUrl(): string {
    return this.#run.app.loginUrl();
  }

  errorOutput(): string {
    return this.#run.written();
  }

  stop(): Promise<void> {
    return this.end().finally(() => this.#tempHome?.remove());
  }

  async end(): Promise<void> {
    if (!this.#isRunning) return;
    this.#isRunning = false;
    await this.#run.app.stop();
  }

  async restart(): Promise<void> {
    await this.end();
    this.#run = await runApp({ ...this.#env, HOMEPORT_PORT: new URL(this.url).port }, this.#options);
    this.#isRunning = true;
  }
}

/** From one start to its stop. */
interface AppRun {
  app: RunningApp;
  written: () => string;
}

let keptPort = '0';

async function runOnKeptPort(env: Record<string, string>, options: InProcessOptions): ReturnType<typeof runApp> {
  const run = await runApp({ ...env, HOMEPORT_PORT: keptPort }, options).catch((error: unknown) => {
    if (!(error instanceof PortInUseError)) throw error;
    return runApp(env, options);
  });
  keptPort = new URL(run.app.address).port;
  return run;
}

async function runApp(env: Record<string, string>, options: InProcessOptions): Promise<AppRun & { config: Config }> {
  let written = '';
  const keep = (line: string): void => {
    written = (written + line).slice(-KEPT_OUTPUT);
  };
  const config = readConfig(env);
  const app = await startApp({
    config,
    resources: { ...(await builtResources()), ...options.resources },
    logger: options.logger ?? createLogger({ level: config.programLogLevel ?? 'warn', write: keep }),
    clock: options.clock ?? systemClock,
    stopTimeFactor: STOP_TIME_FACTOR,
    ...(options.webhookRoutings ? { webhookRoutings: options.webhookRoutings } : {}),
    ...(options.providerSilenceMs === undefined ? {} : { providerSilenceMs: options.providerSilenceMs }),
  });
  return { app, config, written: () => written };
}
