import { verify } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WaitingPage } from '../../support/authorization-caller.ts';
import { APP_PUBLIC_KEY, type RedirectHub, startRedirectHub, strictEntry } from './redirect-hub.ts';

let hub: RedirectHub;

beforeAll(async () => {
  hub = await startRedirectHub((address) => {
    const token_url = {
      OAUTH2: `${address}/token`,
      APP: `${address}/installations/\${connectionConfig.installation_id}/tokens`,
    };
    const installation_id = { type: 'string', title: 'Installation', description: 'Found', automated: true };
    const parts = { token_url, connection_config: { installation_id } };
    return {
      app: strictEntry(address, { auth_mode: 'APP', ...parts }),
      combined: strictEntry(address, { auth_mode: 'CUSTOM', ...parts }),
    };
  });
  hub.authorizer.provider.on('POST /installations/77/tokens', ({ headers }) => ({
    status: isSigned(String(headers['authorization'])) ? 201 : 401,
    body: { token: 'installation-token', expires_at: '2999-01-01T00:00:00Z' },
  }));
});
afterAll(() => hub?.stop());

/** GitHub's check: a JWT of the app, signed with its key. */
function isSigned(authorization: string): boolean {
  const [header = '', payload = '', signature = ''] = authorization.replace(/^Bearer /, '').split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { iss: string; exp: number };
  const isOurs = verify(
    'RSA-SHA256',
    Buffer.from(`${header}.${payload}`),
    APP_PUBLIC_KEY,
    Buffer.from(signature, 'base64url'),
  );
  return isOurs && claims.iss === '1' && claims.exp * 1000 > Date.now();
}

async function start(key: string, page?: WaitingPage): Promise<URL> {
  const token = await hub.caller.newSession();
  return new URL(await hub.caller.startAt(key, { token, ...(page ? { page } : {}) }));
}

describe('the installation of an app', () => {
  it('begins at the app’s public page, with the state', async () => {
    const { href } = await start('app');

    expect(href).toMatch(/^https:\/\/acme\.test\/apps\/mine\/installations\/new\?state=[0-9a-f-]{36}$/);
  });

  it('makes a connection with a token of the installation', async () => {
    const page = await hub.caller.openPage();
    const state = (await start('app', page)).searchParams.get('state');

    const query = `state=${state}&installation_id=77&setup_action=install`;
    expect((await fetch(`${hub.server.url}/app-auth/connect?${query}`)).status).toBe(200);

    const message = await page.next();
    page.close();
    expect(message).toMatchObject({ message_type: 'success', is_pending: false });
    expect(await hub.connection('app', message['connection_id'])).toMatchObject({
      credentials: { type: 'APP', access_token: 'installation-token', expires_at: '2999-01-01T00:00:00.000Z' },
      connection_config: { installation_id: '77', app_id: '1' },
    });
  });

  it.each([
    ['setup_action=request', 'wrong_auth_mode', 'auth_mode_err'],
    ['setup_action=install', 'callback_err', 'callback_err'],
    ['installation_id=&setup_action=update', 'callback_err', 'callback_err'],
  ])('makes no connection with %s', async (query, code, socketType) => {
    const page = await hub.caller.openPage();
    const state = (await start('app', page)).searchParams.get('state');

    const response = await fetch(`${hub.server.url}/app-auth/connect?state=${state}&${query}`);

    expect([response.status, (await response.text()).includes(code)]).toEqual([400, true]);
    expect(await page.next()).toMatchObject({ message_type: 'error', error_type: socketType });
    page.close();
  });

  it.each([
    ['', 400],
    ['state=unknown&installation_id=1', 404],
  ])('that nobody began is refused (%j)', async (query, status) => {
    expect((await fetch(`${hub.server.url}/app-auth/connect?${query}`)).status).toBe(status);
  });
});

describe('an app with a user’s sign-in', () => {
  it('has both tokens when both come back, and one connection for each installation', async () => {
    const finish = async (): Promise<Record<string, unknown>> => {
      const page = await hub.caller.openPage();
      const callback = hub.authorizer.consent((await start('combined', page)).href, {
        more: { installation_id: '77' },
      });
      expect((await fetch(callback)).status).toBe(200);
      const message = await page.next();
      page.close();
      expect(message).toMatchObject({ message_type: 'success', is_pending: false });
      return message;
    };

    const before = hub.authorizer.received.length;
    const { connection_id: id } = await finish();
    const { connection_id: again } = await finish();

    expect(again).toBe(id);
    expect(await hub.connection('combined', id)).toMatchObject({
      credentials: { access_token: 'installation-token' },
      connection_config: {
        installation_id: '77',
        app_id: '1',
        userCredentials: { access_token: 'strict-access' },
      },
    });
    expect(hub.authorizer.received.length).toBe(before + 1);
  });

  it('waits for the installation when the user comes back alone', async () => {
    const page = await hub.caller.openPage();
    const location = await start('combined', page);

    expect((await fetch(hub.authorizer.consent(location.href))).status).toBe(200);

    const message = await page.next();
    page.close();
    expect(message).toMatchObject({ message_type: 'success', is_pending: true });
    const connection = await hub.connection('combined', message['connection_id']);
    expect(connection['connection_config']).toMatchObject({
      app_id: '1',
      pending: true,
      pendingLog: expect.any(String),
    });
  });
});
