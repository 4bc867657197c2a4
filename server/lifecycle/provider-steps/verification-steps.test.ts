import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ScriptedResponse } from '../../../test/support/fake-provider.ts';
import { type Exchange, type Setting, StepFixture } from '../../../test/support/step-fixture.ts';
import { VERIFICATION_STEPS } from './verification-steps.ts';

interface Case {
  step: string;
  setting?: Setting;
  exchange: Exchange;
  /** Answers with a successful status that are refusals nevertheless. */
  refusals: ScriptedResponse[];
}

const login: Setting = { credentials: { type: 'BASIC', username: 'user-1', password: 'secret-1' } };
const page = { body: '<html>Sign in</html>' };

const identity: Exchange = {
  ask: 'GET https://sts.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15',
  plain: true,
  headers: {
    'x-amz-date': '20260301T120000Z',
    authorization: expect.stringMatching(
      /^AWS4-HMAC-SHA256 Credential=user-1\/20260301\/us-east-1\/sts\/aws4_request, SignedHeaders=host;x-amz-date, Signature=[0-9a-f]{64}$/,
    ),
  },
  response: { body: '<GetCallerIdentityResponse/>' },
};
const baseAddress: Exchange = { ask: 'GET https://api.test/', response: { status: 200 } };

const CASES: Case[] = [
  {
    step: 'apolloCredentialsVerification',
    exchange: {
      ask: 'GET https://api.test/v1/auth/health',
      response: { body: { healthy: true, is_logged_in: true } },
    },
    refusals: [{ body: { healthy: true, is_logged_in: false } }, page],
  },
  { step: 'awsIamCredentialsVerification', setting: login, exchange: identity, refusals: [] },
  { step: 'awsInspector2CredentialsVerification', setting: login, exchange: identity, refusals: [] },
  {
    step: 'azureDevopsCredentialsVerification',
    exchange: { ask: 'GET https://api.test/_apis/projects', response: { body: { count: 0, value: [] } } },
    refusals: [{ status: 203, ...page }],
  },
  {
    step: 'bitdefenderCredentialsVerification',
    setting: { provider: 'bitdefender' },
    exchange: {
      ask: 'POST https://api.test/v1.0/jsonrpc/general',
      body: { jsonrpc: '2.0', id: 'bitdefender', method: 'getApiKeyDetails', params: {} },
      response: { body: { jsonrpc: '2.0', id: 'bitdefender', result: { enabledApis: [] } } },
    },
    refusals: [{ body: { jsonrpc: '2.0', error: { code: -32000 } } }],
  },
  { step: 'cdwCredentialsVerification', exchange: baseAddress, refusals: [] },
  {
    step: 'expensifyCredentialsVerification',
    setting: login,
    exchange: {
      ask: 'POST https://api.test/ExpensifyIntegrations',
      body: {
        requestJobDescription: JSON.stringify({
          type: 'get',
          credentials: { partnerUserID: 'user-1', partnerUserSecret: 'secret-1' },
          inputSettings: { type: 'policyList' },
        }),
      },
      response: { body: { policyList: [], responseCode: 200 } },
    },
    refusals: [{ body: { responseMessage: 'Authentication error', responseCode: 500 } }, page],
  },
  {
    step: 'lastpassCredentialsVerification',
    setting: login,
    exchange: {
      ask: 'POST https://api.test/enterpriseapi.php',
      body: { cid: 'user-1', provhash: 'secret-1', cmd: 'getuserdata', data: { pagesize: '1', pageindex: '0' } },
      response: { body: { total: '1', count: '1', Users: {} } },
    },
    refusals: [
      { body: { status: 'FAIL' } },
      { body: { error: ['Authorization Error'] } },
      { body: 'Authorization Error' },
    ],
  },
  {
    step: 'pushpayChmsV1CredentialsVerification',
    exchange: {
      ask: 'GET https://api.test/api.php?srv=api_status',
      response: { body: '<?xml version="1.0"?><ccb_api><response><counter>1</counter></response></ccb_api>' },
    },
    refusals: [
      { body: '<ccb_api><response><errors><error number="002">No</error></errors></response></ccb_api>' },
      page,
    ],
  },
  {
    step: 'skioCredentialsVerification',
    exchange: {
      ask: 'POST https://graphql.skio.com/v1/graphql',
      body: { query: '{ Subscriptions(limit: 1) { id } }' },
      response: { body: { data: { Subscriptions: [] } } },
    },
    refusals: [{ body: { errors: [{ message: 'field not found' }] } }],
  },
  {
    step: 'snipeItCredentialsVerification',
    exchange: { ask: 'GET https://api.test/api/v1/users?limit=1', response: { body: { total: 0, rows: [] } } },
    refusals: [{ body: { status: 'error', messages: 'Unauthorized' } }, page],
  },
  { step: 'vantageApparelCredentialsVerification', exchange: baseAddress, refusals: [] },
];

describe('scripted verifications', () => {
  let fixture: StepFixture;

  beforeEach(async () => {
    fixture = await StepFixture.start();
  });
  afterEach(() => fixture.stop());

  const run = ({ step, setting }: Case) => VERIFICATION_STEPS.get(step)!(fixture.context(setting));

  it('are all tested', () => {
    expect(CASES.map(({ step }) => step)).toEqual([...VERIFICATION_STEPS.keys()]);
  });

  it.each(CASES)('$step accepts', async (current) => {
    const { response, ...expected } = current.exchange;
    fixture.script([current.exchange]);

    expect(await run(current)).toEqual({ ok: true });
    expect(fixture.asked([current.exchange])).toEqual([expected]);
  });

  it.each(CASES)('$step refuses on the status', async (current) => {
    fixture.script([current.exchange], { status: 401, body: { message: 'secret-1' } });

    expect(await run(current)).toEqual({
      ok: false,
      message: 'The provider refused the credentials (status 401). Check them and try again.',
    });
  });

  it.each(CASES.flatMap((current) => current.refusals.map((refusal) => ({ ...current, refusal }))))(
    '$step refuses on the content $refusal.body',
    async ({ refusal, ...current }) => {
      fixture.script([current.exchange], refusal);

      expect(await run(current)).toEqual({
        ok: false,
        message: 'The provider refused the credentials. Check them and try again.',
      });
    },
  );

  it('take an unclear answer of an undocumented address for no test', async () => {
    const cdw = CASES.find(({ step }) => step.startsWith('cdw'))!;
    fixture.script([cdw.exchange], { status: 404 });

    expect(await run(cdw)).toEqual({ ok: true });
  });

  it('leave a lost connection to the caller', async () => {
    const apollo = CASES.find(({ step }) => step.startsWith('apollo'))!;
    fixture.script([apollo.exchange], { drop: true });

    await expect(run(apollo)).rejects.toMatchObject({ name: 'OutboundError' });
  });
});
