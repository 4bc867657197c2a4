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
/** Half a minute in all: what is over then hangs. */
const STOP_PATIENCE = 8;

export interface InProcessOptions {
  /** Further environment variables of the server. */
  env?: Record<string, string>;
  /** A clock of the test's own; default: the system's. */
  clock?: Clock;
  logger?: Logger;
  /** An existing data folder, left in place at the end; default: a temporary one, removed by `stop`. */
  home?: string;
  /** Files of the test's own in place of those that ship. */
  resources?: Partial<Resources>;
  webhookRoutings?: AppOptions['webhookRoutings'];
  providerSilenceMs?: number;
}

export interface InProcessServer extends ServerAddress {
  readonly home: string;
  readonly workspace: string;
  /** A code that signs a browser in, once. */
  issueLinkCode(): string;
  /** A link that signs a browser in to the dashboard once. */
  signInUrl(): string;
  /** The program's own log, from warnings on, unless the test has a logger of its own. */
  errorOutput(): string;
  stop(): Promise<void>;
}

/** The whole server inside the test's own process: faster to start, and its clock can belong to the test. */
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
      stopPatience: STOP_PATIENCE,
      ...(options.webhookRoutings ? { webhookRoutings: options.webhookRoutings } : {}),
      ...(options.providerSilenceMs === undefined ? {} : { providerSilenceMs: options.providerSilenceMs }),
    });
    return {
      url: app.address,
      secretKey: config.secretKey ?? '',
      home,
      workspace: config.functionsFolder,
      issueLinkCode: () => app.signInUrl().split('#code=')[1] ?? '',
      signInUrl: () => app.signInUrl(),
      errorOutput: () => written,
      stop: () => app.stop().finally(() => tempHome?.remove()),
    };
  } catch (error) {
    await tempHome?.remove();
    throw error;
  }
}
