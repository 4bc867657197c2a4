import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../server/platform/lib/clock.ts';
import type {
  MatchTarget,
  RoutingResult,
  WebhookRouting,
} from '../../../server/webhooks-in/routing/webhook-routing.ts';
import { FakeProvider } from '../../support/fake-provider.ts';
import { importConnection } from '../../support/import-practice-connection.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { createTempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';
import { ApiCaller, type ApiResponse } from '../http/api-caller.ts';
import { WebhookReceiver } from './webhook-receiver.ts';

/** Entries of a workspace may only name handlers of built-in ones. */
const ROUTING = 'unauthenticatedWebhookRouting';

/** The part of a webhook with which a test says how it is routed. */
interface Script {
  result?: RoutingResult;
  throws?: string;
  /** Handled, as one event. */
  targets?: MatchTarget[];
  types?: string[];
}

/** The provider `scripted`: follows the body's instructions; a secret in the query stands for a signature. */
const scriptedRouting: WebhookRouting = (webhook, context) => {
  const body = webhook.body as Script;
  if (webhook.query['secret'] === 'wrong' && !context.skipsSignature) {
    return { kind: 'refused', status: 401, message: 'Invalid webhook signature' };
  }
  if (body.throws !== undefined) throw new Error(body.throws);
  if (body.result) return body.result;
  const { targets = [], types = [] } = body;
  return { kind: 'handled', events: [{ targets, types, payload: body }], forward: body };
};

export interface ScriptedHub {
  readonly server: InProcessServer;
  api: ApiCaller;
  receiver: WebhookReceiver;
  provider: FakeProvider;
  /** Path of the webhooks of the integration `scripted`. */
  path: string;
  /** Sends a webhook as a provider does. */
  send(body: unknown, call?: { headers?: Record<string, string | undefined>; query?: string }): Promise<ApiResponse>;
  addConnection(connectionId: string, part?: Record<string, unknown>): Promise<void>;
  stop(): Promise<void>;
}

/** A hub in the test's own process with providers whose routing is scripted by the webhooks themselves. */
export async function startScriptedHub(
  options: { files?: Record<string, string>; clock?: Clock; env?: Record<string, string> } = {},
): Promise<ScriptedHub> {
  const { files = {}, clock, env } = options;
  const [receiver, provider, home] = await Promise.all([
    WebhookReceiver.start(),
    FakeProvider.start(),
    createTempHome(),
  ]);
  const workspace = join(home.path, 'functions');
  await mkdir(join(workspace, 'scripted/syncs'), { recursive: true });
  await writeFile(join(workspace, 'providers.yaml'), entry(provider.address));
  for (const [name, source] of Object.entries(files)) await writeFile(join(workspace, 'scripted/syncs', name), source);
  const server = await startInProcess({
    home: home.path,
    env: { HOMEPORT_WEBHOOK_URL: receiver.address(), ...env },
    webhookRoutings: new Map([[ROUTING, scriptedRouting]]),
    ...(clock ? { clock } : {}),
  });
  const api = new ApiCaller(server);
  await api.send('POST /integrations', { body: { provider: 'scripted', unique_key: 'scripted' } });
  const { body } = await api.send('GET /integrations/scripted?include=webhook');
  const path = new URL((body as { data: { webhook_url: string } }).data.webhook_url).pathname;
  if (Object.keys(files).length > 0) await waitUntilLive(api, Object.keys(files).length);
  return {
    server,
    api,
    receiver,
    provider,
    path,
    send: (sent, { headers, query = '' } = {}) =>
      api.send(`POST ${path}${query}`, { body: sent, headers: { authorization: undefined, ...headers } }),
    addConnection: async (connectionId, part = {}) => {
      const content = { provider_config_key: 'scripted', connection_id: connectionId, credentials: { type: 'NONE' } };
      const { status } = await importConnection(server, { ...content, ...part });
      if (status !== 201) throw new Error(`the import of ${connectionId} was refused: ${status}`);
    },
    stop: async () => {
      await server.stop();
      await receiver.stop();
      await provider.stop();
      await home.remove();
    },
  };
}

async function waitUntilLive(api: ApiCaller, count: number): Promise<void> {
  await waitFor(
    async () => {
      const { body } = await api.send('GET /scripts/config');
      return (body as Array<{ syncs: unknown[] }>)[0]?.syncs.length === count;
    },
    { what: `${count} functions` },
  );
}

function entry(address: string): string {
  return `
scripted:
  display_name: Scripted
  auth_mode: NONE
  webhook_routing_script: ${ROUTING}
  proxy: { base_url: "${address}" }
outbound:
  display_name: Outbound
  auth_mode: OAUTH2
  installation: outbound
  authorization_url: ${address}/authorize
  token_url: ${address}/token
  webhook_routing_script: ${ROUTING}
  proxy: { base_url: "${address}" }
`;
}
