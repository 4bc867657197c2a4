import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CollectorStandIn } from '../../support/collector-stand-in.ts';
import { FakeProvider } from '../../support/fake-provider.ts';
import { importPracticeConnection } from '../../support/import-practice-connection.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { waitFor } from '../../support/wait-for.ts';
import { DashboardClient } from './dashboard-client.ts';

const TEST = 'POST /api/v1/telemetry/test';

let hub: InProcessServer;
let client: DashboardClient;
let collector: CollectorStandIn;
beforeAll(async () => {
  collector = await CollectorStandIn.start();
  hub = await startInProcess();
  client = await DashboardClient.signIn({ url: hub.url, signIn: hub });
  await importPracticeConnection(hub);
});
afterAll(async () => {
  await hub?.stop();
  await collector?.stop();
});
afterEach(() => collector.respond({}));

async function callProvider({ secretKey, url }: InProcessServer): Promise<void> {
  const scope = { 'provider-config-key': 'practice', 'connection-id': 'me' };
  await (await fetch(`${url}/proxy/notes`, { headers: { authorization: `Bearer ${secretKey}`, ...scope } })).text();
}

const save = (otlp_endpoint: string | null, otlp_headers: object[] = []) =>
  client.call('PATCH /api/v1/settings', { body: { otlp_endpoint, otlp_headers } });
const stateOf = () => client.call('GET /api/v1/telemetry');

describe('a test span', () => {
  it('needs an endpoint', async () => {
    await save(null);
    const before = await stateOf();

    expect(await client.refusal(TEST)).toMatchObject({ status: 400 });
    expect(await stateOf()).toEqual(before);
  });

  it('goes to the saved endpoint with its headers, and can be found there', async () => {
    await save(`${collector.endpoint}/`, [{ name: 'X-Team', value: 'blue' }]);
    const result = await client.call(TEST);

    expect(result).toMatchObject({
      ...{ isAccepted: true, status: 200, message: null },
      url: `${collector.endpoint}/v1/traces`,
      durationMs: expect.any(Number),
    });
    expect(collector.requests.at(-1)?.headers).toMatchObject({
      'x-team': 'blue',
      'user-agent': expect.stringMatching(/^homeport\//),
    });
    expect(collector.spans.filter(({ traceId }) => traceId === result.traceId)).toMatchObject([
      { name: 'homeport.test', resource: { 'deployment.environment.name': 'dev' } },
    ]);
  });

  it.each([
    [{ status: 401, body: { message: 'no such key.' } }, 401, 'The collector answered 401 Unauthorized: no such key.'],
    [{ status: 404, body: '<html>' }, 404, 'The collector answered 404 Not Found.'],
    [{ status: 503 }, 503, 'The collector answered 503 Service Unavailable.'],
    [
      { body: { partialSuccess: { rejectedSpans: '1', errorMessage: 'too old' } } },
      200,
      'The collector refused 1 span: too old.',
    ],
    [
      { status: 307, headers: { location: 'http://localhost:1/v1/traces' } },
      null,
      expect.stringContaining('localhost'),
    ],
    [{ drop: true }, null, expect.stringContaining('The connection was closed before an answer came')],
  ])('says what became of it: %j', async (response, status, message) => {
    await save(collector.endpoint);
    collector.respond(response);

    expect(await client.call(TEST)).toMatchObject({ isAccepted: false, status, message });
  });

  it('does not follow the collector to another port', async () => {
    await save(collector.endpoint, [{ name: 'x-team', value: 'blue' }]);
    const other = await CollectorStandIn.start();
    try {
      collector.respond({ status: 307, headers: { location: `${other.endpoint}/v1/traces` } });

      expect(await client.call(TEST)).toMatchObject({ isAccepted: false });
      expect(collector.requests.at(-1)?.headers['x-team']).toBe('blue');
      expect(other.requests).toEqual([]);
    } finally {
      await other.stop();
    }
  });

  it('says that nothing answers', async () => {
    await save('http://localhost:9');

    expect(await client.call(TEST)).toMatchObject({
      ...{ isAccepted: false, status: null },
      message: 'The connection was refused (localhost:9).',
    });
  });

  it('waits for the vault', async () => {
    await save(collector.endpoint, [{ name: 'x-team', value: 'blue' }]);
    await client.call('POST /api/v1/vault/lock');

    expect(await client.refusal(TEST)).toMatchObject({ status: 423, code: 'vault_locked' });
    await client.call('POST /api/v1/vault/unlock');
    expect(await client.call(TEST)).toMatchObject({ isAccepted: true });
  });
});

describe('the state of the export', () => {
  it('keeps spans while the vault is locked, and sends them when it is open', { tags: ['slow'] }, async () => {
    await save(collector.endpoint, [{ name: 'x-team', value: 'blue' }]);
    await callProvider(hub);
    await client.call('POST /api/v1/vault/lock');
    const message = 'The headers cannot be read while the vault is locked.';
    await waitFor(async () => (await stateOf()).problem?.message === message, { what: 'the locked vault' });
    await client.call('POST /api/v1/vault/unlock');

    const { waiting } = await waitFor(async () => {
      const state = await stateOf();
      return state.problem === null ? state : undefined;
    });
    expect(waiting).toBe(0);
    expect(collector.requests.at(-1)?.headers['x-team']).toBe('blue');
  });

  it('tells what was sent, and why something was not', { tags: ['slow'] }, async () => {
    collector.respond({ status: 429, headers: { 'retry-after': '600' } });
    await save(collector.endpoint);
    const before = await stateOf();
    await callProvider(hub);

    const busy = await waitFor(async () => {
      const state = await stateOf();
      return state.problem ? state : undefined;
    });
    expect(busy).toMatchObject({ sent: before.sent, lastExport: before.lastExport });
    expect(busy.waiting).toBeGreaterThan(0);
    expect(busy.problem?.message).toBe('The collector answered 429 Too Many Requests.');
    const waitMs = Date.parse(busy.problem?.retryAt ?? '') - Date.parse(busy.problem?.at ?? '');
    expect(waitMs).toBe(600_000);

    // A test span that arrives shows that the collector is available again.
    collector.respond({});
    await client.call(TEST);
    const done = await waitFor(async () => {
      const state = await stateOf();
      return state.problem ? undefined : state;
    });
    expect(done).toMatchObject({ dropped: 0, waiting: 0 });
    expect(done.sent).toBe(before.sent + (done.lastExport?.spans ?? 0));
  });
});

describe('the stop of the hub', () => {
  it('is clean and in time although the collector does not answer', async () => {
    const silent = await FakeProvider.start();
    silent.on('POST /v1/traces', () => new Promise(() => {}));
    const other = await startInProcess();
    try {
      const page = await DashboardClient.signIn({ url: other.url, signIn: other });
      const state = await page.call('GET /api/v1/telemetry');
      expect(state).toEqual({ sent: 0, dropped: 0, waiting: 0, lastExport: null, problem: null });
      await page.call('PATCH /api/v1/settings', { body: { otlp_endpoint: silent.address } });
      await importPracticeConnection(other);
      await callProvider(other);
    } finally {
      // It rejects when a part did not stop within its time limit.
      await other.stop();
      await silent.stop();
    }
    expect(silent.requestsTo('/v1/traces').length).toBeGreaterThan(0);
  });
});
