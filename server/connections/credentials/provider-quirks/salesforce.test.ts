import { describe, expect, it } from 'vitest';
import { CLIENT, CLIENT_PARAMS, type GivenResponse, recordingContext } from '../../../../test/support/token-calls.ts';
import { TOKEN_NOW } from '../../../../test/support/token-fixture.ts';
import { HomeportError } from '../../../platform/lib/homeport-error.ts';
import type { StoredCredentials } from '../stored-credentials.ts';
import { quirkOf } from './provider-quirks.ts';

const MINUTE_S = 60;
const NOW_S = TOKEN_NOW / 1000;
const instance = 'https://my.salesforce.test';

async function ask(
  response: GivenResponse,
  stored: StoredCredentials = {},
  { provider = 'salesforce', connectionConfig = { instance_url: instance } as Record<string, unknown> } = {},
) {
  const { calls, context } = recordingContext(provider, { responses: [response], context: { connectionConfig } });
  const credentials = { type: 'OAUTH2', access_token: 'T0', ...stored };
  const end = await quirkOf(provider).findEnd?.(credentials, { context, client: CLIENT });
  return { isEnding: (end ?? 0) - TOKEN_NOW < 15 * MINUTE_S * 1000, calls };
}

describe.each(['salesforce', 'salesforce-sandbox', 'salesforce-experience-cloud', 'salesforce-jwt', 'salesforce-cc'])(
  '%s',
  (provider) => {
    it('asks the instance about the token', async () => {
      const { calls, isEnding } = await ask({ active: true, exp: NOW_S + 60 * MINUTE_S }, {}, { provider });

      expect(calls).toEqual([
        {
          at: `POST ${instance}/services/oauth2/introspect`,
          form: { token: 'T0', token_type_hint: 'access_token', ...CLIENT_PARAMS },
        },
      ]);
      expect(isEnding).toBe(false);
    });
  },
);

describe('salesforce', () => {
  it.each<[string, GivenResponse, boolean]>([
    ['15 minutes are left', { active: true, exp: NOW_S + 15 * MINUTE_S }, false],
    ['less is left', { active: true, exp: NOW_S + 15 * MINUTE_S - 1 }, true],
    ['it is not active', { active: false }, true],
    ['it is active without an end', { active: true }, true],
    ['Salesforce refuses', { status: 400, body: { error: 'invalid_client' } }, true],
    ['Salesforce answers with a page', { status: 200, body: '<html>' }, true],
  ])('when %s', async (_when, response, expected) => {
    expect((await ask(response)).isEnding).toBe(expected);
  });

  it('takes a Salesforce that cannot be reached for an end', async () => {
    const { context } = recordingContext('salesforce', {
      responses: [],
      context: { connectionConfig: { instance_url: instance } },
    });
    const send = () => Promise.reject(new HomeportError('provider_unreachable', 'Not reached.'));

    const facts = { context: { ...context, send }, client: CLIENT };
    expect(await quirkOf('salesforce').findEnd?.({ access_token: 'T0' }, facts)).toBe(0);
  });

  it.each([{}, { instance_url: '' }, { instance_url: 'no address' }])(
    'asks nobody without an instance: %j',
    async (connectionConfig) => {
      expect(await ask({}, {}, { connectionConfig })).toEqual({ isEnding: true, calls: [] });
    },
  );

  it('sends its secret to the instance that Salesforce named, not to one that was entered', async () => {
    const raw = { instance_url: 'https://real.salesforce.test/' };

    const { calls } = await ask({ active: false }, { raw });

    expect(calls[0]?.at).toBe('POST https://real.salesforce.test/services/oauth2/introspect');
  });

  it('asks with the client of the connection where it has its own', async () => {
    const stored = { type: 'OAUTH2_CC', token: 'CC', client_id: 'own', client_secret: 'own-secret' };

    const { calls } = await ask(
      { active: false },
      { ...stored, access_token: undefined },
      { provider: 'salesforce-cc' },
    );

    expect(calls[0]?.form).toEqual({
      token: 'CC',
      token_type_hint: 'access_token',
      client_id: 'own',
      client_secret: 'own-secret',
    });
  });
});
