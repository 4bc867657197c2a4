import { describe, expect, it } from 'vitest';
import { AUTH_MODES } from '../../integrations/catalog/provider-modes.ts';
import type { ExportFile } from './export-file.ts';
import type { HubCalls } from './hub-calls.ts';
import { describeEffects } from './import-effects.ts';
import { readHub } from './read-hub.ts';
import { restoreSecrets } from './withheld-secrets.ts';

const CANARY = 'canary-4f7a';

/** Every field that is always secret, one that is secret by the catalogue, and one that is not secret. */
const CONFIG = {
  userCredentials: { type: 'OAUTH2', access_token: CANARY, refresh_token: CANARY, raw: { scope: 'x' } },
  jwtToken: CANARY,
  sharepointAccessToken: { access_token: CANARY },
  botFrameworkAccessToken: { access_token: CANARY },
  oauth_client_secret: CANARY,
  oauth_client_info: { client_id: 'x', secret: CANARY },
  oauth_code_verifier: CANARY,
  tenant_key: CANARY,
  feed: `https://feed.test/?sig=${CANARY}`,
  subdomain: 'acme',
};
const SETTINGS = {
  callback_url: `https://user:${CANARY}@app.test/callback`,
  log_level: 'debug',
  allowed_hosts: ['nas.local'],
  webhook: {
    primary_url: `https://app.test/hook?token=${CANARY}`,
    secondary_url: `https://hooks.test/${CANARY}/x8Jk2Lm9Qr4Tv6Wz`,
    on_sync_error: true,
  },
};
const METADATA = {
  team: 'blue',
  apiKey: CANARY,
  deep: { password: CANARY, list: ['a', `https://${CANARY}@db.test`] },
  plain: ['a', 'b'],
};

/** A hub with one integration and one connection of an auth mode. */
function hubWith(mode: string): HubCalls {
  const responses: Record<string, unknown> = {
    '/environment/settings': { data: { ...SETTINGS, variables: [{ name: 'V', value: CANARY }] } },
    '/integrations': {
      data: [{ unique_key: 'acme', provider: 'acme', display_name: 'Acme', forward_webhooks: true, logo: 'x' }],
    },
    '/integrations/acme': { data: { credentials: { type: mode, client_id: 'x', client_secret: CANARY } } },
    '/config/acme': { config: { custom: { partner_key: CANARY } } },
    '/integrations/acme/functions': { data: [] },
    '/providers/acme': { data: { connection_config: { tenant_key: { secret: true }, subdomain: {} } } },
    '/connections': { connections: [{ connection_id: 'mine', provider_config_key: 'acme' }] },
    '/connections/mine': {
      credentials: { type: mode, access_token: CANARY, apiKey: CANARY, raw: { token: CANARY } },
      connection_config: CONFIG,
      webhook_url_override: `https://user:${CANARY}@app.test/mine`,
      metadata: METADATA,
      tags: { team: 'blue' },
      end_user: { id: 'u', display_name: null, organization: null },
    },
  };
  const send = async (_method: string, path: string) => {
    const [name = ''] = path.split('?');
    return name in responses ? { status: 200, body: responses[name] } : { status: 404, body: { error: {} } };
  };
  return {
    baseUrl: 'http://hub.test',
    send,
    async call<T>(method: string, path: string): Promise<T> {
      const { status, body } = await send(method, path);
      if (status !== 200) throw new Error(`status ${status} of ${path}`);
      return body as T;
    },
  };
}

describe('the content read for an export', () => {
  it.each(AUTH_MODES)('holds no secret of %s outside its secret part', async (mode) => {
    const { secrets, ...readable } = await readHub(hubWith(mode));

    expect(JSON.stringify(readable)).not.toContain(CANARY);
    expect(readable.settings).toEqual({
      log_level: 'debug',
      allowed_hosts: ['nas.local'],
      webhook: { on_sync_error: true },
    });
    expect(readable.connections).toEqual([
      {
        connection_id: 'mine',
        provider_config_key: 'acme',
        connection_config: { subdomain: 'acme' },
        metadata: { team: 'blue', deep: {}, plain: ['a', 'b'] },
        tags: { team: 'blue' },
        end_user: { id: 'u' },
      },
    ]);
    expect(readable.left_out).toContain('connection acme/mine: connection_config.userCredentials');
    expect(readable.left_out).toContain('settings: webhook.primary_url');
    expect(JSON.stringify(secrets)).toContain(CANARY);
  });

  it('is whole again with the secret part', async () => {
    const { secrets, ...readable } = await readHub(hubWith('OAUTH2'));

    const whole = restoreSecrets(readable as unknown as ExportFile, secrets.withheld);

    expect(whole.settings).toEqual(SETTINGS);
    expect(whole.connections[0]).toMatchObject({
      connection_config: CONFIG,
      metadata: METADATA,
      webhook_url_override: `https://user:${CANARY}@app.test/mine`,
    });
  });

  it('includes a connection whose credentials cannot be renewed, without credentials', async () => {
    const hub = hubWith('OAUTH2');
    const send = hub.send.bind(hub);
    hub.send = async (method, path, request) => {
      const answer = await send(method, path, request);
      if (path !== '/connections/mine') return answer;
      const connection = { ...(answer.body as object), credentials: {} };
      const error = { code: 'invalid_credentials', message: 'The provider gave no tokens.', payload: { connection } };
      return { status: 400, body: { error } };
    };

    const { connections, secrets } = await readHub(hub);

    expect(connections).toMatchObject([{ connection_id: 'mine', tags: { team: 'blue' } }]);
    expect(secrets.connections).toEqual({});
  });

  it('keeps the whole configuration secret where the provider is unknown', async () => {
    const hub = hubWith('API_KEY');
    const send = hub.send.bind(hub);
    hub.send = async (method, path, request) =>
      path.startsWith('/providers/') ? { status: 404, headers: new Headers(), body: {} } : send(method, path, request);

    expect((await readHub(hub)).connections[0]?.connection_config).toEqual({});
  });
});

const EMPTY: ExportFile = {
  format: 'homeport-export',
  version: 1,
  exported_at: '2026-01-01T00:00:00.000Z',
  environment: 'dev',
  settings: {},
  webhook_destinations: [],
  saved_queries: [],
  record_destinations: [],
  integrations: [],
  connections: [],
  functions: {},
  left_out: [],
};
const NONE_PRESENT = { names: new Set<string>(), mayBeReplaced: true };

describe('the effects that an import lists', () => {
  it('say of a provider that is here already that it is not added', () => {
    const file = { ...EMPTY, functions: { 'providers.yaml': 'acme:\n  base: https://acme.test\n' } };
    const names = new Set(['acme']);

    expect(describeEffects(file, {}, NONE_PRESENT)).toEqual([expect.stringContaining('are added')]);
    expect(describeEffects(file, {}, { names, mayBeReplaced: false })).toEqual([]);
    expect(describeEffects(file, {}, { names, mayBeReplaced: true })).toEqual([
      'these providers are here already; replaced, they name the hosts: acme (https://acme.test)',
    ]);
  });

  it('names addresses, hosts and functions, and no secret', async () => {
    const { secrets, ...readable } = await readHub(hubWith('OAUTH2'));
    const whole = restoreSecrets(readable as unknown as ExportFile, secrets.withheld);

    const effects = describeEffects(
      { ...whole, functions: { 'acme/syncs/a.ts': '' } },
      { allowed_hosts: [] },
      NONE_PRESENT,
    );

    expect(effects).toEqual([
      'authorizations return to https://app.test/…',
      'webhooks with events of connections go to https://app.test/…',
      'webhooks with events of connections also go to https://hooks.test/…',
      'functions and requests may reach the local or private hosts nas.local',
      'webhooks of single connections go to https://app.test/…',
      'functions run with your connections: acme/syncs/a.ts',
    ]);
    expect(describeEffects({ ...whole, connections: [], functions: {} }, SETTINGS, NONE_PRESENT)).toEqual([]);
  });
});
