import { readFile } from 'node:fs/promises';
import { platform, release } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RecordedRequest } from '../../support/fake-provider.ts';
import { NotificationsFixture } from './notifications-fixture.ts';

/** Concurrent attempts at one address. */
const PLACES = 16;

let hub: NotificationsFixture;

beforeEach(async () => {
  hub = await NotificationsFixture.open();
  hub.receiver.on('POST /hook', { status: 200 });
  await hub.set({ primaryUrl: `${hub.receiver.address}/hook` });
});
afterEach(() => hub?.close());

/** A rule that answers each call with the next status; the last one is repeated. */
function inTurn(...statuses: number[]): () => { status: number } {
  let calls = 0;
  return () => ({ status: statuses[Math.min(calls++, statuses.length - 1)] ?? 200 });
}

const never = (): Promise<never> => new Promise(() => {});
const textOf = (request: RecordedRequest | undefined): string => request?.body.toString() ?? '';

describe('a webhook', () => {
  it('is a signed POST of compact JSON that names its sender', async () => {
    await hub.notifications.notifyAuth(hub.auth({ tags: { k: 'ü' } }));
    const [request] = await hub.received('/hook', 1);

    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': `homeport/0.0.0 (${platform()}/${release()}; node.js/${process.versions.node})`,
    });
    expect(textOf(request)).toBe(
      '{"authMode":"OAUTH2","connectionId":"c-1","environment":"dev","from":"nango","operation":"creation","provider":"github","providerConfigKey":"github","success":true,"tags":{"k":"ü"},"type":"auth"}',
    );
    await hub.settled();
  });

  it('is verified by the official client with the secret key', async () => {
    await hub.notifications.notifyAuth(hub.auth());
    const [request] = await hub.received('/hook', 1);
    const client = await hub.client();

    expect(client.verifyIncomingWebhookRequest(textOf(request), request?.headers ?? {})).toBe(true);
    expect(client.verifyIncomingWebhookRequest(`${textOf(request)} `, request?.headers ?? {})).toBe(false);
    const signature = String(request?.headers['x-nango-signature']);
    expect(client.verifyWebhookSignature(signature, JSON.parse(textOf(request)))).toBe(true);
    expect(client.verifyWebhookSignature(signature, {})).toBe(false);
    await hub.settled();
  });

  it('is signed with the separate key once there is one', async () => {
    const key = await hub.environments.signingKeys.rotate(hub.environment.id);
    await hub.notifications.notifyAuth(hub.auth());
    const [request] = await hub.received('/hook', 1);
    const [body, headers] = [textOf(request), request?.headers ?? {}];

    expect((await hub.client(key)).verifyIncomingWebhookRequest(body, headers)).toBe(true);
    expect((await hub.client()).verifyIncomingWebhookRequest(body, headers)).toBe(false);
    await hub.settled();
  });

  describe('after a rotation of the signing key', () => {
    /** An app that verifies with one key and answers with the status otherwise. */
    const verifyWith = async (key: string | undefined, refusal: number): Promise<void> => {
      const client = await hub.client(key);
      hub.receiver.on('POST /hook', (request) => ({
        status: client.verifyIncomingWebhookRequest(textOf(request), request.headers) ? 200 : refusal,
      }));
    };
    const newest = async (): Promise<unknown> => {
      const { deliveries } = await hub.notifications.history.list(
        { environmentId: hub.environment.id },
        { offset: 0, limit: 1 },
      );
      return deliveries[0];
    };
    const keysOf = async (keys: Record<string, string | undefined>): Promise<string[]> => {
      const clients = await Promise.all(
        Object.entries(keys).map(async ([name, key]) => [name, await hub.client(key)] as const),
      );
      return hub.receiver
        .requestsTo('/hook')
        .map(
          (one) =>
            clients.find(([, client]) => client.verifyIncomingWebhookRequest(textOf(one), one.headers))?.[0] ?? 'none',
        );
    };

    it.each([400, 401, 500])('reaches an app with the secret key for five minutes (refusals: %i)', async (refusal) => {
      const key = await hub.environments.signingKeys.rotate(hub.environment.id);
      await verifyWith(undefined, refusal);
      await hub.notifications.notifyAuth(hub.auth());
      await hub.settled();
      expect(await keysOf({ own: key, secret: undefined })).toEqual(['own', 'secret']);
      expect(await newest()).toMatchObject({ state: 'delivered', code: 200 });

      await hub.advance(5 * 60_000);
      hub.receiver.requests.length = 0;
      await verifyWith(undefined, 401);
      await hub.notifications.notifyAuth(hub.auth());
      await hub.settled();
      expect(await keysOf({ own: key, secret: undefined })).toEqual(['own']);
      expect(await newest()).toMatchObject({ state: 'failed', code: 401 });
    });

    it('is sent once to an app that has the new key, and the refusal of both counts once', async () => {
      const first = await hub.environments.signingKeys.rotate(hub.environment.id);
      await hub.advance(5 * 60_000);
      const second = await hub.environments.signingKeys.rotate(hub.environment.id);
      await verifyWith(second, 401);
      await hub.notifications.notifyAuth(hub.auth());
      await hub.settled();
      expect(await keysOf({ first, second })).toEqual(['second']);

      hub.receiver.requests.length = 0;
      hub.receiver.on('POST /hook', inTurn(403, 410));
      await hub.notifications.notifyAuth(hub.auth());
      await hub.settled();
      expect(await keysOf({ first, second })).toEqual(['second', 'first']);
      expect(await newest()).toMatchObject({ state: 'failed', code: 403 });
    });

    it('allows no third key, and a clock that was set back ends the time of the old one', async () => {
      await hub.environments.signingKeys.rotate(hub.environment.id);
      await expect(hub.environments.signingKeys.rotate(hub.environment.id)).rejects.toMatchObject({
        code: 'multiple_webhook_signing_keys',
      });
      hub.clock.step(-3_600_000);
      expect(await hub.environments.signingKeys.listValid(hub.environment.id)).toHaveLength(1);
      await hub.environments.signingKeys.rotate(hub.environment.id);
    });
  });

  it('is tried again after 3 s and 6 s when the receiver fails', async () => {
    hub.receiver.on('POST /hook', inTurn(500, 503, 200));
    await hub.notifications.notifyAuth(hub.auth());
    await hub.stands(0, 2);
    await hub.advance(2999);
    expect(hub.receiver.requests).toHaveLength(1);
    await hub.advance(1);
    await hub.stands(0, 3);
    await hub.advance(5999);
    expect(hub.receiver.requests).toHaveLength(2);
    await hub.advance(1);
    await hub.settled();

    expect(hub.receiver.requests).toHaveLength(3);
    expect(new Set(hub.receiver.requests.map(textOf)).size).toBe(1);
    expect(hub.log.operations.map(({ state }) => state)).toEqual(['success']);
  });

  it('is given up after the third failure', async () => {
    hub.receiver.on('POST /hook', { drop: true });
    await hub.notifications.notifyAuth(hub.auth());
    await hub.stands(0, 2);
    await hub.advance(3000);
    await hub.stands(0, 3);
    await hub.advance(6000);
    await hub.settled();
    await hub.advance(60_000);

    expect(hub.receiver.requests).toHaveLength(3);
    expect(hub.log.operations).toMatchObject([{ state: 'failed' }]);
  });

  it.each([304, 400, 404, 410, 429])('is not tried again after %i', async (status) => {
    hub.receiver.on('POST /hook', { status });
    await hub.notifications.notifyAuth(hub.auth());
    await hub.settled();
    await hub.advance(60_000);

    expect(hub.receiver.requests).toHaveLength(1);
    expect(hub.log.operations).toMatchObject([{ state: 'failed', messages: [{ response: { code: status } }] }]);
  });

  it('counts every status from 200 to 299 as delivered', async () => {
    hub.receiver.on('POST /hook', inTurn(204));
    await hub.notifications.notifyAuth(hub.auth());
    await hub.settled();

    expect(hub.log.operations).toMatchObject([{ state: 'success' }]);
  });

  it('waits 20 s for an answer, three times', async () => {
    hub.receiver.on('POST /hook', never);
    await hub.notifications.notifyAuth(hub.auth());
    for (const [attempt, waitMs] of [
      [1, 3000],
      [2, 6000],
      [3, 0],
    ] as const) {
      await hub.received('/hook', attempt);
      await hub.advance(19_999);
      expect(await hub.deliveries()).toMatchObject([{ attempt }]);
      await hub.advance(1);
      if (attempt < 3) await hub.stands(0, attempt + 1);
      await hub.advance(waitMs);
    }
    await hub.settled();

    expect(hub.receiver.requests).toHaveLength(3);
    expect(hub.log.operations[0]?.messages[0]?.error).toMatchObject({ type: 'ETIMEDOUT' });
  });

  it('goes to the secondary address after the primary one was given up', async () => {
    hub.receiver.on('POST /hook', inTurn(500)).on('POST /second', { status: 200 });
    await hub.set({ secondaryUrl: `${hub.receiver.address}/second` });
    await hub.notifications.notifyAuth(hub.auth());
    await hub.stands(0, 2);
    await hub.advance(3000);
    await hub.stands(0, 3);
    expect(hub.receiver.requestsTo('/second')).toEqual([]);
    await hub.advance(6000);
    await hub.settled();

    expect(hub.receiver.requests.map(({ url }) => url)).toEqual(['/hook', '/hook', '/hook', '/second']);
    const [first, , , last] = hub.receiver.requests;
    expect(last?.body).toEqual(first?.body);
    expect(last?.headers['x-nango-hmac-sha256']).toBe(first?.headers['x-nango-hmac-sha256']);
    expect(hub.log.operations).toMatchObject([
      { state: 'failed', end: { error: { message: 'The webhook could not be delivered to 1 of 2 destinations.' } } },
    ]);
  });

  it('goes only to the address of the connection when it has one', async () => {
    hub.receiver.on('POST /own', { status: 200 });
    await hub.notifications.notifyAuth(hub.auth({ webhookUrlOverride: `${hub.receiver.address}/own` }));
    await hub.settled();

    expect(hub.receiver.requests.map(({ url }) => url)).toEqual(['/own']);
  });

  it('goes nowhere without an address, and leaves nothing behind', async () => {
    await hub.set({ primaryUrl: null });
    await hub.notifications.notifyAuth(hub.auth());

    expect(await hub.deliveries()).toEqual([]);
    expect(hub.log.operations).toEqual([]);
  });

  it('follows the settings of the moment, not those the caller holds', async () => {
    const event = hub.auth();
    await hub.set({ onAuthCreation: false });
    await hub.notifications.notifyAuth(event);

    expect(await hub.deliveries()).toEqual([]);
  });

  it('exists if and only if the transaction of its cause does', async () => {
    const cause = (fails: boolean): Promise<void> =>
      hub.database.transaction(async (tx) => {
        await hub.notifications.notifyAuth(hub.auth({ connectionId: fails ? 'lost' : 'kept' }), tx);
        if (fails) throw new Error('undone');
      });

    await expect(cause(true)).rejects.toThrow('undone');
    await cause(false);
    await hub.settled();

    expect(hub.receiver.requests.map((request) => JSON.parse(textOf(request)).connectionId)).toEqual(['kept']);
    expect(hub.log.operations).toHaveLength(1);
  });
});

describe('a destination', () => {
  it.each([301, 302, 303, 307, 308])('that redirects with %i gets method and body at the new place', async (status) => {
    hub.receiver.on('POST /hook', { status, headers: { location: '/moved' } }).on('POST /moved', { status: 200 });
    await hub.notifications.notifyAuth(hub.auth());
    await hub.settled();

    const [first, second] = hub.receiver.requests;
    expect(second).toMatchObject({ method: 'POST', url: '/moved', body: first?.body });
    expect(second?.headers['x-nango-hmac-sha256']).toBe(first?.headers['x-nango-hmac-sha256']);
    expect(hub.log.operations).toMatchObject([{ state: 'success' }]);
  });

  it('is left after five redirects', async () => {
    hub.receiver.on('POST /hook', { status: 307, headers: { location: '/hook' } });
    await hub.notifications.notifyAuth(hub.auth());
    await hub.settled();

    expect(hub.receiver.requests).toHaveLength(6);
    expect(hub.log.operations[0]?.messages[0]?.error).toMatchObject({ type: 'ERR_TOO_MANY_REDIRECTS' });
  });

  it('cannot redirect to another host of this computer or its network', async () => {
    const elsewhere = hub.receiver.address.replace('127.0.0.1', 'localhost');
    hub.receiver.on('POST /hook', { status: 307, headers: { location: `${elsewhere}/moved` } });
    await hub.notifications.notifyAuth(hub.auth());
    await hub.settled();

    expect(hub.receiver.requests).toHaveLength(1);
    expect(hub.log.operations[0]?.messages[0]?.error).toMatchObject({ type: 'ERR_ADDRESS_REFUSED' });
  });

  it('cannot redirect to another port of its own host', async () => {
    const { port } = new URL(hub.receiver.address);
    const elsewhere = hub.receiver.address.replace(port, String(Number(port) - 1));
    hub.receiver.on('POST /hook', { status: 307, headers: { location: `${elsewhere}/moved` } });
    await hub.notifications.notifyAuth(hub.auth());
    await hub.settled();

    expect(hub.receiver.requests).toHaveLength(1);
    expect(hub.log.operations[0]?.messages[0]?.error).toMatchObject({ type: 'ERR_ADDRESS_REFUSED' });
  });

  it('may be named localhost', async () => {
    await hub.set({ primaryUrl: `${hub.receiver.address.replace('127.0.0.1', 'localhost')}/hook` });
    await hub.notifications.notifyAuth(hub.auth());
    await hub.settled();

    expect(hub.receiver.requests).toHaveLength(1);
    expect(hub.log.operations).toMatchObject([{ state: 'success' }]);
  });

  it.each(['127.0.0.1', 'localhost'])('is never the hub itself, called %s', async (host) => {
    hub.ownPort = Number(new URL(hub.receiver.address).port);
    await hub.set({ primaryUrl: `${hub.receiver.address.replace('127.0.0.1', host)}/hook` });
    await hub.notifications.notifyAuth(hub.auth());
    await hub.settled();

    expect(hub.receiver.requests).toEqual([]);
    expect(hub.log.operations).toMatchObject([{ state: 'failed' }]);
  });

  it('gets the user and password of its address as Basic authentication', async () => {
    await hub.set({ primaryUrl: `${hub.receiver.address.replace('://', '://us%40er:pw@')}/hook` });
    await hub.notifications.notifyAuth(hub.auth());
    await hub.settled();

    const expected = Buffer.from('us@er:pw').toString('base64');
    expect(hub.receiver.requests[0]?.headers['authorization']).toBe(`Basic ${expected}`);
  });

  it('that is slow holds up its own webhooks only, their later attempts included', async () => {
    hub.receiver.on('POST /slow', never).on('POST /hook', inTurn(500, 200));
    const slow = hub.auth({ webhookUrlOverride: `${hub.receiver.address}/slow` });
    for (let count = 0; count < PLACES + 4; count++) await hub.notifications.notifyAuth(slow);
    await hub.received('/slow', PLACES);
    await hub.notifications.notifyAuth(hub.auth());
    await hub.received('/hook', 1);
    await hub.idle();

    await hub.advance(3000);
    await hub.received('/hook', 2);

    expect(hub.receiver.requestsTo('/slow')).toHaveLength(PLACES);
  });
});

describe('a restart', () => {
  it('repeats the attempt that it cut off, and no destination that has answered', async () => {
    let isFirst = true;
    hub.receiver.on('POST /second', () => {
      if (!isFirst) return { status: 200 };
      isFirst = false;
      return never();
    });
    await hub.set({ secondaryUrl: `${hub.receiver.address}/second` });
    await hub.notifications.notifyAuth(hub.auth());
    await hub.received('/second', 1);

    await hub.restart();
    await hub.settled();

    expect(hub.receiver.requests.map(({ url }) => url)).toEqual(['/hook', '/second', '/second']);
    expect(hub.log.operations.map(({ state }) => state)).toEqual(['cancelled', 'success']);
  });

  it('keeps the pause before the next attempt', async () => {
    hub.receiver.on('POST /hook', inTurn(500, 200));
    await hub.notifications.notifyAuth(hub.auth());
    await hub.stands(0, 2);

    await hub.restart();
    await hub.idle();
    expect(hub.receiver.requests).toHaveLength(1);
    await hub.advance(3000);
    await hub.settled();

    expect(hub.receiver.requests).toHaveLength(2);
  });
});

describe('a job of an attempt', () => {
  it('does nothing when the attempt was made already', async () => {
    hub.receiver.on('POST /hook', inTurn(500, 200));
    await hub.notifications.notifyAuth(hub.auth());
    await hub.stands(0, 2);
    const [{ id } = { id: '' }] = await hub.database.reader.all<{ id: string }>('SELECT id FROM webhook_deliveries');

    const old = { deliveryId: id, destination: 0, attempt: 1 };
    await hub.notifications.deliver(old, new AbortController().signal);

    expect(hub.receiver.requests).toHaveLength(1);
  });
});

describe('what is stored', () => {
  it('holds neither body nor address in clear', async () => {
    hub.receiver.on('POST /hook', inTurn(500, 200));
    await hub.notifications.notifyAuth(
      hub.auth({
        webhookUrlOverride: `${hub.receiver.address}/hook?canary=address-8812`,
        tags: { secret: 'canary-body-5521' },
      }),
    );
    await hub.stands(0, 2);

    const files = await Promise.all(['', '-wal'].map((suffix) => readFile(`${hub.file}${suffix}`)));
    const text = Buffer.concat(files).toString('latin1');
    expect(text).toContain('webhook_deliveries');
    expect(text).not.toMatch(/canary-body|address-8812/);
  });
});
