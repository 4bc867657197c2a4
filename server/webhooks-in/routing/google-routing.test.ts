import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { ADDRESSES, NOW, type RoutingSetup, route, type SentWebhook } from '../../../test/support/routing-fixture.ts';

const KEYS_URL = 'https://www.googleapis.com/oauth2/v3/certs';
const INVALID = { kind: 'refused', status: 401, message: 'Invalid webhook signature' };
// printf 'nango.emailAddressHash.v1:ada@example.com' | sha256sum
const HASH = 'de53f0aeb55f66c2a691e263d31f7c0ab50c53ff345672e97f750a16d6883bb4';
const byAddress = (address: string) => [
  { property: 'emailAddressHash', value: HASH },
  { property: 'metadata.emailAddress', value: address },
  { property: 'metadata.email', value: address },
];

describe('googleMailWebhookRouting', () => {
  const notice = (value: unknown): SentWebhook => ({
    body: { subscription: 's-1', message: { data: Buffer.from(JSON.stringify(value)).toString('base64') } },
  });
  const sent = notice({ emailAddress: 'Ada@example.com', historyId: 9 });

  it('finds the mailbox by the hash of its address, then by the address in the metadata', async () => {
    expect(await route('googleMailWebhookRouting', sent)).toEqual({
      kind: 'handled',
      events: [
        {
          types: [],
          targets: byAddress('Ada@example.com'),
          payload: {
            ...(sent.body as object),
            type: '*',
            emailAddress: 'Ada@example.com',
            emailAddressHash: HASH,
          },
        },
      ],
      forward: sent.body,
    });
  });

  it.each([
    ['no message', { body: {} }],
    ['no base64 of JSON', { body: { message: { data: '%%%' } } }],
    ['no address', notice({ historyId: 9 })],
    ['an address that is no text', notice({ emailAddress: ['a@b.test'] })],
  ])('refuses a webhook with %s', async (_what, bad) => {
    expect(await route('googleMailWebhookRouting', bad)).toMatchObject({ kind: 'refused', status: 400 });
  });

  describe('with a token', () => {
    let keys: Awaited<ReturnType<typeof generateKeyPair>>;
    let setup: RoutingSetup;

    beforeAll(async () => {
      keys = await generateKeyPair('RS256');
      const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'k-1', alg: 'RS256', use: 'sig' };
      setup = { documents: { [KEYS_URL]: { json: { keys: [jwk] }, headers: {} } } };
    });

    const token = (claims: JWTPayload = {}, kid = 'k-1') =>
      new SignJWT({
        iss: 'https://accounts.google.com',
        aud: ADDRESSES[0] as string,
        exp: NOW / 1000 + 60,
        ...claims,
      })
        .setProtectedHeader({ alg: 'RS256', kid })
        .sign(keys.privateKey);
    const send = (authorization: string, where = setup) =>
      route('googleMailWebhookRouting', { ...sent, headers: { authorization } }, where);

    it.each([0, 1])('takes one for the address with the key or the provider (%i)', async (at) => {
      expect(await send(`Bearer ${await token({ aud: ADDRESSES[at] as string })}`)).toMatchObject({ kind: 'handled' });
    });

    it('must be there, and for the service account, when the webhook secret names one', async () => {
      const account = 'push@project.iam.gserviceaccount.com';
      const results: string[] = [];
      const where = {
        ...setup,
        app: { webhookSecret: account },
        onSignature: (result: string) => void results.push(result),
      };
      const missing = { kind: 'refused', status: 401, message: 'Missing webhook signature' };

      expect(await route('googleMailWebhookRouting', sent, where)).toEqual(missing);
      expect(await send(`Bearer ${await token()}`, where)).toEqual(INVALID);
      expect(await send(`Bearer ${await token({ email: account, email_verified: false })}`, where)).toEqual(INVALID);
      expect(await send(`Bearer ${await token({ email: 'x@other.test', email_verified: true })}`, where)).toEqual(
        INVALID,
      );
      const right = await token({ email: account.toUpperCase(), email_verified: true });
      expect(await send(`Bearer ${right}`, where)).toMatchObject({ kind: 'handled' });
      expect(results).toEqual(['invalid', 'invalid', 'invalid', 'invalid', 'valid']);
    });

    it('proves nothing about its sender while no account is named', async () => {
      const results: string[] = [];
      await send(`Bearer ${await token()}`, { ...setup, onSignature: (result) => void results.push(result) });

      expect(results).toEqual(['unchecked']);
    });

    it.each<[string, JWTPayload]>([
      ['another issuer', { iss: 'https://evil.test' }],
      ['another receiver', { aud: 'https://hub.test/webhook/e-1/other' }],
      ['that has ended', { exp: NOW / 1000 - 1 }],
      ['without an end', { exp: undefined } as unknown as JWTPayload],
    ])('refuses one of or for %s', async (_what, claims) => {
      expect(await send(`Bearer ${await token(claims)}`)).toEqual(INVALID);
    });

    it('refuses one that another key signed', async () => {
      const other = await generateKeyPair('RS256');
      const claims = { iss: 'https://accounts.google.com', aud: ADDRESSES[0] as string, exp: NOW / 1000 + 60 };
      const forged = (kid: string) =>
        new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid }).sign(other.privateKey);

      expect(await send(`Bearer ${await forged('k-1')}`)).toEqual(INVALID);
      expect(await send(`Bearer ${await forged('k-2')}`)).toEqual(INVALID);
    });

    it('refuses one without a signature, or signed with another algorithm', async () => {
      const [, claims] = (await token()).split('.');
      const none = Buffer.from('{"alg":"none"}').toString('base64url');
      const hmac = await new SignJWT({ iss: 'https://accounts.google.com', exp: NOW / 1000 + 60 })
        .setProtectedHeader({ alg: 'HS256', kid: 'k-1' })
        .sign(Buffer.from('k'.repeat(32)));

      expect(await send(`Bearer ${none}.${claims}.`)).toEqual(INVALID);
      expect(await send(`Bearer ${hmac}`)).toEqual(INVALID);
    });

    it.each(['Bearer x', 'bearer a b', 'Bearer ', 'Bearer e30.e30.e30'])(
      'refuses %j, for which no key is needed',
      async (authorization) => {
        expect(await send(authorization, {})).toEqual(INVALID);
      },
    );

    it('fails when the keys cannot be had, so that Google tries again', async () => {
      await expect(send(`Bearer ${await token()}`, {})).rejects.toThrow('cannot be had');
    });

    it('checks no token when the user repeats the webhook', async () => {
      expect(await send('Bearer x', { skipsSignature: true })).toMatchObject({ kind: 'handled' });
    });
  });
});

describe('notices of watch channels', () => {
  const uri = 'https://www.googleapis.com/calendar/v3/calendars/ada%40example.com/events?alt=json';
  const headers = (resource: string) => ({
    'x-goog-resource-state': 'exists',
    'x-goog-resource-id': 'r-1',
    'x-goog-resource-uri': resource,
  });
  const watched = (value: string) => ({ property: 'metadata.googleCalendarWatchResourceUris', value });

  it.each([
    ['googleWebhookRouting', [watched(uri)]],
    ['googleDriveWebhookRouting', [{ property: 'metadata.googleDriveWatchResourceIds', value: 'r-1' }, watched(uri)]],
    ['googleCalendarWebhookRouting', [watched(uri), ...byAddress('ada@example.com')]],
  ])('are all in the headers: %s', async (name, targets) => {
    const sent = headers(uri);

    expect(await route(name, { headers: sent })).toEqual({
      kind: 'handled',
      events: [{ types: ['exists'], targets, payload: sent }],
      forward: sent,
    });
  });

  it.each([
    'https://www.googleapis.com/calendar/v3/calendars/team/events',
    'https://www.googleapis.com/calendar/v3/calendars/%E0%A4%A/events',
    'https://www.googleapis.com/calendar/v3/users/me/calendarList',
  ])('of a calendar that is nobody’s name no address: %s', async (resource) => {
    expect(await route('googleCalendarWebhookRouting', { headers: headers(resource) })).toMatchObject({
      events: [{ targets: [watched(resource)] }],
    });
  });
});
