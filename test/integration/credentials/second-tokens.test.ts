import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { quirkOf } from '../../../server/connections/credentials/provider-quirks/provider-quirks.ts';
import {
  microsoftTeamsBotPostConnection,
  sharepointPostConnection,
} from '../../../server/lifecycle/provider-steps/lookup-steps.ts';
import { NOW, StepFixture, tokenWith } from '../../support/step-fixture.ts';
import { refreshOf } from '../../support/token-calls.ts';

const MINUTE_MS = 60_000;
const TENANT = 't-1';
const response = { access_token: 'second-1', refresh_token: 'second-refresh-1', expires_in: 3600, scope: 'one two' };

let fixture: StepFixture;

beforeEach(async () => {
  fixture = await StepFixture.start();
  const ask = `POST https://login.microsoftonline.com/${TENANT}/oauth2/v2.0/token`;
  fixture.script([{ ask, response: { body: response } }]);
});
afterEach(() => fixture.stop());

describe.each([
  ['one-drive', sharepointPostConnection, 'sharepointAccessToken'],
  ['sharepoint-online', sharepointPostConnection, 'sharepointAccessToken'],
  ['microsoft-teams-bot', microsoftTeamsBotPostConnection, 'botFrameworkAccessToken'],
])('the second token of %s', (provider, step, key) => {
  async function connect(): Promise<Record<string, unknown>> {
    const config = { botHostTenantId: TENANT };
    const credentials = { access_token: tokenWith({ tid: TENANT }), refresh_token: 'R0' };
    const patch = await step(fixture.context({ provider, app: { clientId: 'id' }, credentials, config }));
    return { ...config, ...patch };
  }

  it('is due by what the step after connecting wrote', async () => {
    const connectionConfig = await connect();

    const isDue = (afterMs: number) =>
      quirkOf(provider).isDue?.({ connectionConfig, nowMs: NOW + afterMs, bufferMs: 15 * MINUTE_MS });
    expect([isDue(45 * MINUTE_MS), isDue(45 * MINUTE_MS + 1)]).toEqual([false, true]);
  });

  it('is renewed from it, in its shape', async () => {
    const connectionConfig = await connect();
    const main = { access_token: 'T1', expires_in: 3600 };
    const context = { connectionConfig, now: () => NOW };

    const { issued } = await refreshOf(provider, { refresh_token: 'R0' }, { responses: [main, response], context });

    expect(issued.config).toEqual({ [key]: connectionConfig[key] });
  });
});
