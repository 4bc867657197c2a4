import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ScriptedHub, startScriptedHub } from './scripted-hub.ts';

// Wire documents of any shape: each test asserts the members it needs.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Wire = any;

const KEY = 'outbound';

let hub: ScriptedHub;

beforeAll(async () => {
  hub = await startScriptedHub();
  const credentials = { type: 'OAUTH2', client_id: 'id', client_secret: 'outbound-secret' };
  await hub.api.send('POST /integrations', { body: { provider: KEY, unique_key: KEY, credentials } });
});
afterAll(() => hub?.stop());

/** A connection that is pending until its end user, `actor`, has installed the app at the provider. */
async function wait(actor: string): Promise<string> {
  const session = (await hub.api.send('POST /connect/sessions', { body: { end_user: { id: 'u' } } })).body as Wire;
  const query = `connect_session_token=${session.data.token}&params[actor]=${actor}`;
  const { body } = await hub.api.send(`POST /auth/oauth-outbound/${KEY}?${query}`, {
    body: {},
    headers: { authorization: undefined },
  });
  return (body as Wire).connectionId;
}

const read = async (id: string): Promise<Wire> =>
  (await hub.api.send(`GET /connections/${id}?provider_config_key=${KEY}`)).body;
const tell = (installation: object) =>
  hub.api.send(`POST ${hub.path.replace(/scripted$/, KEY)}`, {
    body: { result: { kind: 'handled', events: [], forward: {}, installation } },
  });

describe('an installation that brings a code', () => {
  it('gives the connection that waits for it its tokens', async () => {
    hub.provider.on('POST /token', { body: { access_token: 'outbound-token', refresh_token: 'r' } });
    const [id, other] = [await wait('bob'), await wait('eve')];

    const config = { 'installation.uuid': 'i-1' };
    expect((await tell({ where: { actor: ['7', 'bob'] }, config, code: 'the-code' })).status).toBe(200);

    const { credentials, connection_config: settled, end_user: endUser } = await read(id);
    expect(credentials).toMatchObject({ type: 'OAUTH2', access_token: 'outbound-token' });
    expect(settled).toEqual({ actor: 'bob', 'installation.uuid': 'i-1' });
    expect(endUser.id).toBe('u');
    const [request] = hub.provider.requestsTo('/token');
    expect(Object.fromEntries(new URLSearchParams(request?.body.toString()))).toMatchObject({
      grant_type: 'authorization_code',
      code: 'the-code',
      client_id: 'id',
    });
    expect((await read(other)).connection_config).toMatchObject({ actor: 'eve', pending: true });
  });
});
