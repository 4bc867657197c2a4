import { generateKeyPairSync } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AuthorizationCaller } from '../../support/authorization-caller.ts';
import { type InProcessOptions, type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { STRICT_CLIENT, StrictAuthorizer } from '../../support/strict-authorizer.ts';
import { createTempHome } from '../../support/temp-home.ts';
import { ApiCaller } from '../http/api-caller.ts';

const KEYS = generateKeyPairSync('rsa', { modulusLength: 2048 });
/** Verifies the signatures of integrations that are apps. */
export const APP_PUBLIC_KEY = KEYS.publicKey;
const APP = {
  app_id: '1',
  app_link: 'https://acme.test/apps/mine',
  private_key: KEYS.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString().trim(),
};

/** A hub, a strict provider, and the callers of the hub. */
export interface RedirectHub {
  server: InProcessServer;
  api: ApiCaller;
  caller: AuthorizationCaller;
  authorizer: StrictAuthorizer;
  /** The folder of functions and provider entries. */
  functions: string;
  /** The connection that an authorization created. */
  connection(key: string, id: unknown): Promise<Record<string, unknown>>;
  stop(): Promise<void>;
}

/**
 * Starts a hub whose workspace contains the provider entries that `describe` returns for the strict provider's address,
 * and creates one integration for each, with the entry's name.
 */
export async function startRedirectHub(
  describe: (address: string) => Record<string, object>,
  options: InProcessOptions = {},
): Promise<RedirectHub> {
  const authorizer = await StrictAuthorizer.start();
  const home = await createTempHome();
  const entries = describe(authorizer.address);
  const functions = join(home.path, 'functions');
  await mkdir(functions);
  // JSON is also YAML.
  await writeFile(join(functions, 'providers.yaml'), JSON.stringify(entries));
  const server = await startInProcess({ ...options, env: { HOMEPORT_FUNCTIONS: functions, ...options.env } });
  const api = new ApiCaller(server);
  for (const [key, entry] of Object.entries(entries))
    await addIntegration(api, key, (entry as { auth_mode: string }).auth_mode);
  return {
    server,
    api,
    caller: new AuthorizationCaller(server),
    authorizer,
    functions,
    connection: async (key, id) => {
      const path = `/connections/${String(id)}?provider_config_key=${key}&refresh_token=true`;
      const { status, body } = await api.send(`GET ${path}`);
      if (status !== 200) throw new Error(`GET ${path} answered ${status}: ${JSON.stringify(body)}`);
      return body as Record<string, unknown>;
    },
    stop: async () => {
      await server.stop();
      await authorizer.stop();
      await home.remove();
    },
  };
}

/** An entry of the strict provider; `changes` replace its members. */
export function strictEntry(address: string, changes: object = {}): object {
  return {
    display_name: 'Strict',
    auth_mode: 'OAUTH2',
    authorization_url: `${address}/authorize`,
    token_url: `${address}/token`,
    proxy: { base_url: address },
    ...changes,
  };
}

export interface AuthorizationWay {
  /** Body of `POST /connect/sessions`. */
  session?: object;
  query?: Record<string, string>;
  consent?: Parameters<StrictAuthorizer['consent']>[1];
}

/** The whole authorization of one end user; returns the message to the waiting page. */
export async function authorizeAt(
  hub: RedirectHub,
  key: string,
  { session, query = {}, consent }: AuthorizationWay = {},
) {
  const { authorizer, caller } = hub;
  const token = await caller.newSession(session);
  const page = await caller.openPage();
  const location = await caller.startAt(key, { token, page, query });
  const response = await fetch(authorizer.consent(location, consent));
  const message = await page.next();
  page.close();
  return {
    asked: new URL(location).searchParams,
    location,
    page: await response.text(),
    status: response.status,
    message,
  };
}

/** The same for an authorization that succeeds, with the connection that it created. */
export async function connectAt(hub: RedirectHub, key: string, way?: AuthorizationWay) {
  const done = await authorizeAt(hub, key, way);
  const { status, message, page } = done;
  if (status !== 200 || message['message_type'] !== 'success') throw new Error(`${JSON.stringify(message)} ${page}`);
  return { ...done, connection: await hub.connection(key, message['connection_id']) };
}

async function addIntegration(api: ApiCaller, key: string, type: string): Promise<void> {
  const client = { type, client_id: STRICT_CLIENT.id, client_secret: STRICT_CLIENT.secret };
  const ofMode: Record<string, object> = {
    OAUTH1: { credentials: client },
    OAUTH2: { credentials: { ...client, scopes: 'read,write' } },
    APP: { credentials: { type, ...APP } },
    CUSTOM: { credentials: { ...client, ...APP } },
  };
  const { status, body } = await api.send('POST /integrations', {
    body: { provider: key, unique_key: key, ...ofMode[type] },
  });
  if (status !== 200) throw new Error(`POST /integrations answered ${status}: ${JSON.stringify(body)}`);
}
