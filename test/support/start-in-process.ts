import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { startApp } from '../../server/app.ts';
import type { AppOptions } from '../../server/app-infrastructure.ts';
import { readConfig } from '../../server/config.ts';
import { type Clock, systemClock } from '../../server/lib/clock.ts';
import { type Logger, silentLogger } from '../../server/lib/logger.ts';
import { locateResources, type Resources } from '../../server/resources.ts';
import { type ServerAddress, serverEnvironment } from './start-server.ts';
import { createTempHome } from './temp-home.ts';

const DIST = new URL('../../dist/', import.meta.url);
/** Files that set-up built: processes start faster, and no server has to bundle them. */
const BUILT = {
  workerEntry: fileURLToPath(new URL('server/worker-main.mjs', DIST)),
  typeCheckEntry: fileURLToPath(new URL('server/type-check-main.mjs', DIST)),
  readGuestCode: () => readFile(new URL('guest/guest.js', DIST), 'utf8'),
};

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
  stop(): Promise<void>;
}

/** The whole server inside the test's own process: it starts faster, and its clock can be the test's. */
export async function startInProcess(options: InProcessOptions = {}): Promise<InProcessServer> {
  const { env, clock = systemClock, logger = silentLogger } = options;
  const tempHome = options.home === undefined ? await createTempHome() : undefined;
  const home = options.home ?? tempHome?.path ?? '';
  try {
    const config = readConfig(serverEnvironment(home, env));
    const app = await startApp({
      config,
      resources: { ...(await locateResources()), ...BUILT, ...options.resources },
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
      stop: () => app.stop().finally(() => tempHome?.remove()),
    };
  } catch (error) {
    await tempHome?.remove();
    throw error;
  }
}
