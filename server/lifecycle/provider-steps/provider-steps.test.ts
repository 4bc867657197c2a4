import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Exchange, type Setting, StepFixture } from '../../../test/support/step-fixture.ts';
import { buildCatalogFrom } from '../../integrations/catalog/builtin-catalog.ts';
import { POST_CONNECTION_STEPS } from './post-connection-steps.ts';
import { PRE_DELETION_STEPS, STEP_NAMES } from './provider-steps.ts';
import { VERIFICATION_STEPS } from './verification-steps.ts';

const catalog = await buildCatalogFrom(fileURLToPath(new URL('../../integrations/catalog/providers', import.meta.url)));

describe('the steps of providers', () => {
  it.each([
    ['post_connection_script', POST_CONNECTION_STEPS],
    ['pre_connection_deletion_script', PRE_DELETION_STEPS],
    ['credentials_verification_script', VERIFICATION_STEPS],
  ] as const)('hold every %s of the catalogue', (key, steps) => {
    const named = [...catalog.values()].flatMap((entry) => entry[key] ?? []);

    expect(named.filter((name) => !steps.has(name))).toEqual([]);
  });

  it('are read from a catalogue that names some', () => {
    const scripts = [...catalog.values()].flatMap(({ post_connection_script: name }) => name ?? []);

    expect(scripts).toContain('hubspotPostConnection');
  });

  it('have names that say when they run, each once', () => {
    const endings = [...POST_CONNECTION_STEPS.keys()].every((name) => /^[a-z]\w+PostConnection$/.test(name));
    expect(endings).toBe(true);
    expect([...PRE_DELETION_STEPS.keys()].every((name) => name.endsWith('PreConnectionDeletion'))).toBe(true);
    expect([...VERIFICATION_STEPS.keys()].every((name) => name.endsWith('CredentialsVerification'))).toBe(true);
    expect(STEP_NAMES.size).toBe(POST_CONNECTION_STEPS.size + PRE_DELETION_STEPS.size + VERIFICATION_STEPS.size);
  });
});

interface Case {
  step: string;
  setting: Setting;
  exchange: Exchange;
}

const CASES: Case[] = [
  {
    step: 'hubspotPreConnectionDeletion',
    setting: { credentials: { access_token: 'access-1', refresh_token: 'refresh/1' } },
    exchange: {
      ask: 'DELETE https://api.hubapi.com/oauth/v1/refresh-tokens/refresh%2F1',
      plain: true,
      headers: { authorization: undefined },
      response: { status: 204 },
    },
  },
  {
    step: 'intercomPreConnectionDeletion',
    setting: { config: { region: 'eu' } },
    exchange: { ask: 'POST https://api.intercom.io/auth/uninstall', response: { body: { id: 'app' } } },
  },
  {
    step: 'linearPreConnectionDeletion',
    setting: {},
    exchange: { ask: 'POST https://api.test/oauth/revoke', response: { status: 200 } },
  },
  {
    step: 'oneloginPreConnectionDeletion',
    setting: { credentials: { type: 'OAUTH2_CC', token: 'access-1', client_id: 'id-1', client_secret: 'secret-1' } },
    exchange: {
      ask: 'POST https://api.test/auth/oauth2/revoke',
      body: { access_token: 'access-1' },
      headers: { authorization: 'client_id:id-1, client_secret:secret-1' },
      response: { body: { status: { error: false } } },
    },
  },
];

describe('steps before deletion', () => {
  let fixture: StepFixture;

  beforeEach(async () => {
    fixture = await StepFixture.start();
  });
  afterEach(() => fixture.stop());

  it.each(CASES)('$step notifies the provider', async ({ step, setting, exchange }) => {
    const { response, ...expected } = exchange;
    fixture.script([exchange]);

    await PRE_DELETION_STEPS.get(step)!(fixture.context(setting));

    expect(fixture.asked([exchange])).toEqual([expected]);
  });

  it.each(CASES)('$step fails when it is refused, without naming a token', async ({ step, setting, exchange }) => {
    fixture.script([exchange], { status: 400, body: { message: 'access-1' } });

    const failure = await PRE_DELETION_STEPS.get(step)!(fixture.context(setting)).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'provider_step_failed', message: expect.stringContaining('status 400') });
    expect(String(failure)).not.toMatch(/access-1|refresh|secret-1/);
  });

  it.each<Setting>([
    { credentials: { refresh_token: 'refresh-1' }, metadata: { skipTokenRevocation: true } },
    { credentials: { access_token: 'access-1' } },
  ])('leaves HubSpot alone for %j', async (setting) => {
    await PRE_DELETION_STEPS.get('hubspotPreConnectionDeletion')!(fixture.context(setting));

    expect(fixture.asked([])).toEqual([]);
  });
});
