import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Exchange, type Setting, StepFixture } from '../../../../test/support/step-fixture.ts';
import { PRE_DELETION_STEPS } from './provider-steps.ts';

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
      answer: { status: 204 },
    },
  },
  {
    step: 'intercomPreConnectionDeletion',
    setting: { config: { region: 'eu' } },
    exchange: { ask: 'POST https://api.intercom.io/auth/uninstall', answer: { body: { id: 'app' } } },
  },
  {
    step: 'linearPreConnectionDeletion',
    setting: {},
    exchange: { ask: 'POST https://api.test/oauth/revoke', answer: { status: 200 } },
  },
  {
    step: 'oneloginPreConnectionDeletion',
    setting: { credentials: { type: 'OAUTH2_CC', token: 'access-1', client_id: 'id-1', client_secret: 'secret-1' } },
    exchange: {
      ask: 'POST https://api.test/auth/oauth2/revoke',
      body: { access_token: 'access-1' },
      headers: { authorization: 'client_id:id-1, client_secret:secret-1' },
      answer: { body: { status: { error: false } } },
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
    const { answer, ...expected } = exchange;
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
