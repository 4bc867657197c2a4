import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PRACTICE_CLIENT } from '../../../server/practice/authorization/practice-client.ts';
import { AuthorizationCaller } from '../../support/authorization-caller.ts';
import { answerConsent } from '../../support/authorize-practice.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { ApiCaller } from '../http/api-caller.ts';

let server: InProcessServer;
let api: ApiCaller;
let caller: AuthorizationCaller;

beforeAll(async () => {
  server = await startInProcess();
  api = new ApiCaller(server);
  caller = new AuthorizationCaller(server);
  for (const provider of ['practice-oauth2', 'practice-oauth1']) {
    const credentials = {
      type: provider === 'practice-oauth2' ? 'OAUTH2' : 'OAUTH1',
      client_id: PRACTICE_CLIENT.id,
      client_secret: PRACTICE_CLIENT.secret,
    };
    const made = await api.send('POST /integrations', { body: { provider, unique_key: provider, credentials } });
    expect(made.status).toBe(200);
  }
});
afterAll(() => server.stop());

describe('signing in at the practice provider', () => {
  it.each(['practice-oauth2', 'practice-oauth1'])('makes a connection by %s', async (key) => {
    const socket = await caller.openPage();

    const callback = await answerConsent(await caller.startAt(key, { token: await caller.newSession(), page: socket }));
    expect(callback.pathname).toBe('/oauth/callback');
    const page = await fetch(callback);
    const text = await page.text();
    expect([page.status, text.includes('nango_oauth_callback_success')]).toEqual([200, true]);

    const message = await socket.next();
    expect(message).toMatchObject({ message_type: 'success', provider_config_key: key, is_pending: false });
    const path = `/connections/${String(message['connection_id'])}?provider_config_key=${key}`;
    const { status, body } = await api.send(`GET ${path}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      provider_config_key: key,
      end_user: { id: 'u1' },
      tags: { end_user_id: 'u1' },
      metadata: {},
      errors: [],
    });
    const issues = await fetch(`${server.url}/proxy/v1/issues`, {
      headers: {
        authorization: `Bearer ${server.secretKey}`,
        'provider-config-key': key,
        'connection-id': String(message['connection_id']),
      },
    });
    expect(issues.status).toBe(200);
    // A state is valid for one callback.
    expect((await fetch(callback)).status).toBe(400);
    socket.close();
  });
});
