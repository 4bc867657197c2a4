import { startApp } from '../../server/app.ts';
import type { AppOptions } from '../../server/app-infrastructure.ts';
import { readConfig } from '../../server/config.ts';
import { type Clock, systemClock } from '../../server/lib/clock.ts';
import { createLogger, type Logger } from '../../server/lib/logger.ts';
import type { Resources } from '../../server/resources.ts';
import { builtResources } from './built-resources.ts';
import { type ServerAddress, serverEnvironment } from './start-server.ts';
import { createTempHome } from './temp-home.ts';

const KEPT_OUTPUT = 20_000;

export interface InProcessOptions {
  /** Further environment variables of the server. */
  env?: Record<string, string>;
  /** A clock of the test; default: the system's. */
  clock?: Clock;
  logger?: Logger;
  /** An existing data folder, kept at the end; default: a temporary one, removed by `stop`. */
  home?: string;
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
  signInUrl(): string;
  /** The program's own log, from warnings on, unless the test has a logger of its own. */
  errorOutput(): string;
  stop(): Promise<void>;
}

/** The whole server inside the test's own process: it starts faster, and its clock can be the test's. */
export async function startInProcess(options: InProcessOptions = {}): Promise<InProcessServer> {
  const { env, clock = systemClock } = options;
  let written = '';
  const keep = (line: string): void => {
    written = (written + line).slice(-KEPT_OUTPUT);
  };
  const tempHome = options.home === undefined ? await createTempHome() : undefined;
  const home = options.home ?? tempHome?.path ?? '';
  try {
    const config = readConfig(serverEnvironment(home, env));
    const logger = options.logger ?? createLogger({ level: config.programLogLevel ?? 'warn', write: keep });
    const app = await startApp({
      config,
      resources: { ...(await builtResources()), ...options.resources },
      logger,
      clock,
      ...(options.webhookRoutings ? { webhookRoutings: options.webhookRoutings } : {}),
      ...(options.providerSilenceMs === undefined ? {} : { providerSilenceMs: options.providerSilenceMs }),
    });
    return {
      url: app.address,
      secretKey: config.secretKey ?? '',
      home,
      workspace: config.functionsFolder,
      issueLinkCode: () => app.loginUrl().split('#code=')[1] ?? '',
      signInUrl: () => app.loginUrl(),
      errorOutput: () => written,
      stop: () => app.stop().finally(() => tempHome?.remove()),
    };
  } catch (error) {
    await tempHome?.remove();
    throw error;
  }
}
