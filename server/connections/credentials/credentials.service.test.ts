import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { TOKEN_NOW, TOKEN_UUID } from '../../../test/support/token-fixture.ts';
import type { ProviderEntry } from '../../integrations/catalog/entry-schema.ts';
import { OutboundError } from '../../platform/lib/outbound-error.ts';
import type { OutboundRequest } from '../../platform/lib/outbound-http.ts';
import { type CredentialsContext, clientOf, createCredentialsService } from './credentials.service.ts';
import { expiryOf, type RenewalFacts } from './renewal-need.ts';
import type { StoredCredentials } from './stored-credentials.ts';

const HOUR_MS = 3_600_000;
const instance = 'https://my.salesforce.test';

/** Calls `findNeed` with a provider that returns this response; an error is thrown. */
async function findNeed(
  response: object | Error,
  parts: Partial<Omit<RenewalFacts, 'entry'>> & { provider?: string; entry?: Partial<ProviderEntry> } = {},
) {
  const { provider = 'salesforce', entry: more, ...facts } = parts;
  const requests: OutboundRequest[] = [];
  let opened = 0;
  const service = createCredentialsService({
    clock: new FakeClock(TOKEN_NOW),
    ids: { uuid: () => TOKEN_UUID, hex: () => '' },
    environments: { allowedHosts: () => [] },
    http: {
      request: async (request) => {
        requests.push(request);
        if (response instanceof Error) throw response;
        const body = Readable.from([Buffer.from(JSON.stringify(response))]);
        return { status: 200, statusText: 'OK', headers: {}, body, url: new URL(request.url) };
      },
    },
  });
  const entry: ProviderEntry = {
    name: provider,
    source: 'builtin',
    display_name: provider,
    auth_mode: 'OAUTH2',
    ...more,
  };
  const connectionConfig = { instance_url: instance };
  const context: CredentialsContext = {
    environmentId: 1,
    entry,
    app: { clientId: 'app', clientSecret: 'app-secret' },
    custom: {},
    connectionConfig,
  };
  const need = await service.findNeed(
    async () => {
      opened += 1;
      return context;
    },
    {
      credentials: salesforce(),
      expiresAt: expiryOf(facts?.credentials ?? salesforce()),
      connectionConfig,
      isExhausted: false,
      lastFailureAt: null,
      obtainedAt: 0,
      nowMs: TOKEN_NOW,
      isForced: false,
      wantsAppJwt: false,
      ...facts,
      entry,
    },
  );
  return { need, opened, forms: requests.map(({ body }) => Object.fromEntries(new URLSearchParams(String(body)))) };
}

function salesforce(parts: object = {}): StoredCredentials {
  return { type: 'OAUTH2', access_token: 'T0', refresh_token: 'R0', ...parts };
}

const fresh = { active: true, exp: (TOKEN_NOW + HOUR_MS) / 1000 };

describe('CredentialsService.findNeed', () => {
  it('believes a provider that knows when the token ends', async () => {
    expect((await findNeed(fresh)).need).toBe('none');
    expect((await findNeed({ active: false })).need).toBe('renew');
  });

  it('counts with the buffer of the entry', async () => {
    const inAMinute = { active: true, exp: TOKEN_NOW / 1000 + 60 };

    expect((await findNeed(inAMinute, { entry: { token_expiration_buffer: 60 } })).need).toBe('none');
    expect((await findNeed(inAMinute, { entry: { token_expiration_buffer: 61 } })).need).toBe('renew');
  });

  it('renews when the provider cannot be asked', async () => {
    const { need } = await findNeed(new OutboundError('ENOTFOUND', 'The host was not found'));

    expect(need).toBe('renew');
  });

  it('hides no fault of its own', async () => {
    await expect(findNeed(new TypeError('a fault'))).rejects.toThrow('a fault');
  });

  it.each([
    [undefined, { client_id: 'app', client_secret: 'app-secret' }],
    [
      { client_id: 'own', client_secret: 'own-secret' },
      { client_id: 'own', client_secret: 'own-secret' },
    ],
    [{ client_id: 'own' }, { client_id: 'app', client_secret: 'app-secret' }],
  ])('asks with the override %j', async (override, client) => {
    const { forms } = await findNeed(fresh, { credentials: salesforce({ config_override: override }) });

    expect(forms).toEqual([{ token: 'T0', token_type_hint: 'access_token', ...client }]);
  });

  it.each<[string, Parameters<typeof findNeed>[1], string]>([
    ['is exhausted', { isExhausted: true }, 'exhausted'],
    ['failed just now', { lastFailureAt: TOKEN_NOW }, 'backoff'],
    ['is forced', { isForced: true }, 'renew'],
    ['has no refresh token', { credentials: { type: 'OAUTH2', access_token: 'T' } }, 'none'],
    ['is of another provider', { provider: 'acme' }, 'none'],
  ])('neither opens nor asks anything when the connection %s', async (_when, parts, expected) => {
    expect(await findNeed(fresh, parts)).toEqual({ need: expected, opened: 0, forms: [] });
  });
});

describe('clientOf', () => {
  const app = { clientId: 'app', clientSecret: 'app-secret' };

  it.each([
    [
      { client_id: 'own', client_secret: 'own-secret' },
      { id: 'own', secret: 'own-secret' },
    ],
    [{ client_id: 'own' }, { id: 'app', secret: 'app-secret' }],
    [{ client_secret: 'own-secret' }, { id: 'app', secret: 'app-secret' }],
    [undefined, { id: 'app', secret: 'app-secret' }],
  ])('with the override %j is %j', (override, expected) => {
    expect(clientOf(app, override ? { config_override: override } : {})).toEqual(expected);
  });
});
