import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { NOW, route } from '../../../test/support/routing-fixture.ts';

const SECRET = 'secret-1';
const CONNECTION = { app: { webhookSecret: SECRET } };
const MISSING = { kind: 'refused', status: 401, message: 'Missing webhook signature' };
const INVALID = { kind: 'refused', status: 401, message: 'Invalid webhook signature' };

describe('slackWebhookRouting', () => {
  const body = { type: 'url_verification', challenge: '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P' };

  it('answers the challenge', async () => {
    expect(await route('slackWebhookRouting', { body })).toEqual({
      kind: 'answered',
      contentType: 'text/plain',
      text: body.challenge,
    });
  });

  it('answers no challenge that is not signed once a secret is configured', async () => {
    expect(await route('slackWebhookRouting', { body }, CONNECTION)).toEqual(MISSING);
  });

  it('refuses a verification without a challenge', async () => {
    expect(await route('slackWebhookRouting', { body: { type: body.type } })).toMatchObject({ status: 400 });
  });
});

describe('microsoftWebhookRouting', () => {
  const event = (clientState: string | undefined, tenantId: string) => ({
    clientState,
    tenantId,
    changeType: 'updated',
  });
  const routed = (notice: unknown, tenantId: string) => ({
    types: ['updated'],
    targets: [{ property: 'tenantId', value: tenantId }],
    payload: notice,
  });

  it('answers the validation with its token', async () => {
    const query = { validationToken: 'Validation: Testing client application <b>' };

    expect(await route('microsoftWebhookRouting', { query }, CONNECTION)).toEqual({
      kind: 'answered',
      contentType: 'text/plain',
      text: query.validationToken,
    });
  });

  it('takes the notices that know the client state and leaves the others out', async () => {
    const [right, wrong] = [event(SECRET, 't-1'), event('other', 't-2')];

    expect(await route('microsoftWebhookRouting', { body: { value: [wrong, right] } }, CONNECTION)).toEqual({
      kind: 'handled',
      events: [routed(right, 't-1')],
      forward: { value: [right] },
    });
  });

  it('refuses a webhook in which none does', async () => {
    const send = (value: unknown) => route('microsoftWebhookRouting', { body: { value } }, CONNECTION);

    expect(await send([event('other', 't-1')])).toEqual(INVALID);
    expect(await send([event(`${SECRET}0`, 't-1'), event(undefined, 't-1')])).toEqual(INVALID);
    expect(await send([event(undefined, 't-1')])).toEqual(MISSING);
    expect(await send([])).toEqual(MISSING);
    expect(await send('none')).toEqual(MISSING);
  });

  it('takes all where no secret is configured, or the user repeats it', async () => {
    const value = [event('x', 't-1'), event(undefined, 't-2')];
    const expected = {
      kind: 'handled',
      events: [routed(value[0], 't-1'), routed(value[1], 't-2')],
      forward: { value },
    };

    expect(await route('microsoftWebhookRouting', { body: { value } })).toEqual(expected);
    expect(
      await route('microsoftWebhookRouting', { body: { value } }, { ...CONNECTION, skipsSignature: true }),
    ).toEqual(expected);
  });
});

describe('zoomWebhookRouting', () => {
  const validate = (plainToken: unknown, place = CONNECTION) =>
    route('zoomWebhookRouting', { body: { event: 'endpoint.url_validation', payload: { plainToken } } }, place);

  it('shows that the hub knows the secret token', async () => {
    const encryptedToken = createHmac('sha256', SECRET).update('qgg8vlvZRS6UYooatFL8Aw').digest('hex');

    expect(await validate('qgg8vlvZRS6UYooatFL8Aw')).toEqual({
      kind: 'answered',
      contentType: 'application/json',
      text: JSON.stringify({ plainToken: 'qgg8vlvZRS6UYooatFL8Aw', encryptedToken }),
    });
  });

  it('signs nothing that could be a webhook', async () => {
    expect(await validate(`v0:${NOW / 1000}:{"event":"meeting.started"}`)).toMatchObject({ status: 400 });
    expect(await validate('')).toMatchObject({ status: 400 });
    expect(await validate(undefined)).toMatchObject({ status: 400 });
  });

  it('says that the secret token is missing', async () => {
    expect(await validate('abc', { app: { webhookSecret: '' } })).toMatchObject({
      kind: 'refused',
      status: 400,
      message: expect.stringMatching(/secret token/),
    });
  });
});

describe('asanaWebhookRouting', () => {
  it('gives the secret of the handshake back and believes it no further', async () => {
    const headers = { 'x-hook-secret': 'b537207f20cbfa02' };

    expect(await route('asanaWebhookRouting', { headers }, CONNECTION)).toEqual({
      kind: 'answered',
      contentType: 'text/plain',
      text: '',
      headers,
    });
  });
});

describe('frontWebhookRouting', () => {
  const body = { type: 'sync', authorization: { id: 'cmp_abc' } };
  const signature = createHmac('sha256', SECRET)
    .update(`${NOW}:${JSON.stringify(body)}`)
    .digest('base64');
  const headers = { 'x-front-challenge': 'c-123', 'x-front-request-timestamp': String(NOW) };

  it('answers a challenge that is signed', async () => {
    const sent = { body, headers: { ...headers, 'x-front-signature': signature } };

    expect(await route('frontWebhookRouting', sent, CONNECTION)).toEqual({
      kind: 'answered',
      contentType: 'text/plain',
      text: 'c-123',
    });
  });

  it('refuses one that is not', async () => {
    expect(await route('frontWebhookRouting', { body, headers }, CONNECTION)).toEqual(MISSING);
  });
});

describe('an installation', () => {
  const githubBody = { action: 'created', installation: { id: 42 }, requester: { login: 'ada' } };
  const app = { appId: '7', webhookSecret: SECRET, clientSecret: SECRET };
  const signatureOf = (body: unknown): string =>
    createHmac('sha256', SECRET).update(JSON.stringify(body)).digest('hex');
  const github = (body: unknown, name = 'githubAppOauthWebhookRouting') =>
    route(
      name,
      { body, headers: { 'x-github-event': 'installation', 'x-hub-signature-256': `sha256=${signatureOf(body)}` } },
      { app },
    );

  it('of a GitHub app completes the connection of the user who requested it', async () => {
    expect(await github(githubBody)).toEqual({
      kind: 'handled',
      events: [
        { types: ['installation'], targets: [{ property: 'installation_id', value: '42' }], payload: githubBody },
      ],
      forward: githubBody,
      installation: { where: { app_id: '7', handle: 'ada' }, config: { installation_id: '42' } },
    });
  });

  it.each([
    ['another action', { ...githubBody, action: 'deleted' }],
    ['nobody asked', { ...githubBody, requester: null }],
    ['no installation', { ...githubBody, installation: {} }],
  ])('of a GitHub app completes nothing: %s', async (_why, body) => {
    expect(await github(body)).not.toHaveProperty('installation');
  });

  it('of an app without users completes nothing', async () => {
    expect(await github(githubBody, 'githubAppWebhookRouting')).not.toHaveProperty('installation');
  });

  it('of a GitHub app completes nothing when it is signed wrong or not at all', async () => {
    const headers = { 'x-github-event': 'installation' };
    const wrong = { ...headers, 'x-hub-signature-256': 'sha256=0' };

    expect(await route('githubAppOauthWebhookRouting', { body: githubBody, headers: wrong }, { app })).toEqual(INVALID);
    expect(await route('githubAppOauthWebhookRouting', { body: githubBody, headers }, { app })).toEqual(MISSING);
    expect(await route('githubAppOauthWebhookRouting', { body: githubBody, headers: wrong })).toEqual(INVALID);
  });

  // docs.sentry.io, webhooks of installations
  const sentryBody = {
    action: 'created',
    actor: { id: 1, name: 'Some User', type: 'user' },
    data: { installation: { code: 'f3c71b49', uuid: 'a8e5d37a' } },
    installation: { uuid: 'a8e5d37a' },
  };
  const sentry = (body: unknown, resource = 'installation') =>
    route(
      'sentryOauthWebhookRouting',
      { body, headers: { 'sentry-hook-resource': resource, 'sentry-hook-signature': signatureOf(body) } },
      { app },
    );

  it('of a Sentry app completes nothing when it is not signed', async () => {
    const headers = { 'sentry-hook-resource': 'installation' };

    expect(await route('sentryOauthWebhookRouting', { body: sentryBody, headers }, { app })).toEqual(MISSING);
  });

  it('of a Sentry app completes the connection of its actor, with a code for the token', async () => {
    expect(await sentry(sentryBody)).toMatchObject({
      kind: 'handled',
      installation: {
        where: { actor: ['1', 'Some User'] },
        config: { 'installation.uuid': 'a8e5d37a' },
        code: 'f3c71b49',
      },
    });
  });

  it.each([
    ['another resource', sentryBody, 'issue'],
    ['another action', { ...sentryBody, action: 'deleted' }],
    ['no actor', { ...sentryBody, actor: {} }],
    ['no installation', { action: 'created', actor: sentryBody.actor }],
  ])('of a Sentry app completes nothing: %s', async (_why, body, resource?: string) => {
    expect(await sentry(body, resource)).not.toHaveProperty('installation');
  });
});
