import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../server/platform/sandbox/sandbox.ts';
import { actionCode, outputOf, type RunOptions, runCode, startSandbox } from './sandbox-fixture.ts';

describe('the context object', () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox();
  });
  afterAll(() => sandbox.stop());

  const evaluate = (body: string, options: RunOptions = {}) => outputOf(sandbox, body, options);
  const callsOf = async (body: string, host: RunOptions['host'] = {}) => {
    const { calls, outcome } = await runCode(sandbox, actionCode(body), { host });
    if (!outcome.ok) throw new Error(JSON.stringify(outcome.failure));
    return { calls: calls.map(({ method, args }) => [method, args]), output: JSON.parse(outcome.output) };
  };
  const sync = (context = {}): RunOptions => ({
    context: { scriptType: 'sync', syncId: 's-1', syncJobId: 5, ...context },
  });

  it('says who and where it is', async () => {
    const body =
      'return [nango.connectionId, nango.providerConfigKey, nango.provider, nango.environmentId, nango.environmentName, nango.accountId, nango.nangoConnectionId, nango.activityLogId, nango.scriptType, nango.isCLI, nango.syncConfig, nango.logger, Object.values(nango.runnerFlags)]';

    expect(await evaluate(body)).toEqual([
      'conn-1',
      'acme',
      'acme-api',
      1,
      'dev',
      1,
      7,
      'log-1',
      'action',
      false,
      { sync_name: 'probe' },
      { level: 'debug' },
      [false, false, false, false],
    ]);
  });

  it('shows records and sync properties to syncs only', async () => {
    expect(await evaluate('return ["batchSave" in nango, "variant" in nango, typeof nango.batchSave]')).toEqual([
      false,
      false,
      'undefined',
    ]);
    const code = `module.exports.default = { type: 'sync', exec: async (nango) => { await nango.setMetadata({ seen: ['batchSave' in nango, nango.syncId, nango.syncJobId, nango.variant, nango.lastSyncDate instanceof Date, nango.track_deletes, nango.emptyCache] }) } }`;
    const { calls } = await runCode(sandbox, code, {
      ...sync({ lastSyncDate: '2026-01-01T00:00:00.000Z' }),
      host: { 'metadata.set': () => ({}) },
    });

    expect(calls[0]?.args).toEqual({ metadata: { seen: [true, 's-1', 5, 'base', true, false, false] } });
  });

  it('names the variant to every kind of function', async () => {
    const code = `module.exports.default = { type: 'sync', exec: async (nango) => { await nango.setMetadata({ seen: nango.getVariant() }) } }`;
    const options = { ...sync({ variant: 'small' }), host: { 'metadata.set': () => ({}) } };
    const { calls } = await runCode(sandbox, code, options);

    expect(calls[0]?.args).toEqual({ metadata: { seen: 'small' } });
    expect(await evaluate('return nango.getVariant()')).toBe('base');
  });

  it('guards hidden names and answers unknown ones with undefined', async () => {
    const body = `const tries = [() => nango.persistClient, () => { nango.attributes = 1 }, () => delete nango.nango, () => Object.defineProperty(nango, 'locking', { value: 1 }), () => nango.constructor, () => nango.__proto__];
      const messages = tries.map((run) => { try { run(); return 'none' } catch (e) { return e.message } });
      return { messages, proto: Object.getPrototypeOf(nango), has: ['nango' in nango, 'get' in nango, 'uncontrolledFetch' in nango, 'fixtureProvider' in nango], unknown: typeof nango.fixtureProvider, keys: Object.keys(nango).includes('constructor') }`;

    expect(await evaluate(body)).toEqual({
      messages: ['persistClient', 'attributes', 'nango', 'locking', 'constructor', '__proto__'].map(
        (name) => `Access to "${name}" is not allowed.`,
      ),
      proto: null,
      has: [false, true, true, false],
      unknown: 'undefined',
      keys: false,
    });
  });

  it('reads a connection once a minute, again after a write, and always when asked to', async () => {
    const host = { 'connection.get': () => ({ metadata: { a: 1 } }), 'metadata.update': () => ({}) };
    const { calls, output } = await callsOf(
      `await Promise.all([nango.getConnection(), nango.getMetadata()]); const first = await nango.getMetadata();
       await nango.getConnection(undefined, undefined, { forceRefresh: true }); await nango.updateMetadata({ b: new Date(0), c: undefined });
       await nango.getMetadata(); await nango.getConnection('other', 'one'); return first`,
      host,
    );

    const own = { providerConfigKey: 'acme', connectionId: 'conn-1' };
    expect(output).toEqual({ a: 1 });
    expect(calls).toEqual([
      ['connection.get', own],
      ['connection.get', { ...own, forceRefresh: true }],
      ['metadata.update', { metadata: { b: '1970-01-01T00:00:00.000Z' } }],
      ['connection.get', own],
      ['connection.get', { providerConfigKey: 'other', connectionId: 'one' }],
    ]);
  });

  it('drops cached connections after a 401', async () => {
    const { HostCallError } = await import('../../../server/platform/sandbox/host-call-error.ts');
    const host = {
      'connection.get': () => ({}),
      'http.request': () => Promise.reject(new HostCallError({ name: 'AxiosError', message: 'no', status: 401 })),
    };
    const { calls } = await callsOf(
      'await nango.getConnection(); await nango.get({ endpoint: "/x" }).catch(() => {}); await nango.getConnection();',
      host,
    );

    expect(calls.map(([method]) => method)).toEqual(['connection.get', 'http.request', 'connection.get']);
  });

  it.each([
    [{ type: 'OAUTH2', access_token: 't' }, 't'],
    [
      { type: 'OAUTH1', oauth_token: 'a', oauth_token_secret: 'b' },
      { oAuthToken: 'a', oAuthTokenSecret: 'b' },
    ],
    [
      { type: 'API_KEY', apiKey: 'k' },
      { type: 'API_KEY', apiKey: 'k' },
    ],
  ])('getToken of %o', async (credentials, expected) => {
    expect(await evaluate('return nango.getToken()', { host: { 'connection.get': () => ({ credentials }) } })).toEqual(
      expected,
    );
  });

  it('reads integration, webhook address, variables and field mapping', async () => {
    const host = {
      'integration.get': ({ include }: { include: string[] }) => ({
        unique_key: 'acme',
        webhook_url: include.includes('webhook') ? 'https://w' : undefined,
      }),
      'environment.variables': () => [{ name: 'A', value: 'b' }],
      'connection.get': () => ({ metadata: { fieldMapping: { x: 'y' } } }),
    };
    const { calls, output } = await callsOf(
      'return [await nango.getIntegration(), await nango.getIntegration(), await nango.getWebhookURL(), await nango.getEnvironmentVariables(), await nango.getFieldMapping()]',
      host,
    );

    expect(output).toEqual([
      { unique_key: 'acme' },
      { unique_key: 'acme' },
      'https://w',
      [{ name: 'A', value: 'b' }],
      { x: 'y' },
    ]);
    expect(calls.filter(([method]) => method === 'integration.get')).toHaveLength(2);
  });

  it('triggers actions in both forms, and syncs in every form', async () => {
    const host = {
      'action.trigger': () => ({ output: '{"done":true}' }),
      'sync.trigger': () => null,
      'sync.start': () => null,
    };
    const { calls, output } = await callsOf(
      `const a = await nango.triggerAction('hello', { x: 1 }); await nango.triggerAction('k', 'c', 'hello', 'text');
       const t = await nango.triggerSync('k', 'c', 's'); await nango.triggerSync('k', 'c', { name: 's', variant: 'v' }, { reset: true });
       await nango.triggerSync('k', 'c', 's', 'full_refresh_and_clear_cache'); await nango.triggerSync('k', 'c', 's', true); await nango.triggerSync('k', 'c', 's::v');
       const s = await nango.startSync('k', ['a', { name: 'b', variant: 'v' }, 'c::w']); return [a, typeof t, typeof s]`,
      host,
    );

    const target = { providerConfigKey: 'k', connectionId: 'c' };
    const base = { name: 's', variant: 'base' };
    expect(output).toEqual([{ done: true }, 'undefined', 'undefined']);
    expect(calls).toEqual([
      ['action.trigger', { providerConfigKey: 'acme', connectionId: 'conn-1', actionName: 'hello', input: '{"x":1}' }],
      ['action.trigger', { ...target, actionName: 'hello', input: '"text"' }],
      ['sync.trigger', { ...target, sync: base, reset: false, emptyCache: false }],
      ['sync.trigger', { ...target, sync: { name: 's', variant: 'v' }, reset: true, emptyCache: false }],
      ['sync.trigger', { ...target, sync: base, reset: true, emptyCache: true }],
      ['sync.trigger', { ...target, sync: base, reset: true, emptyCache: false }],
      ['sync.trigger', { ...target, sync: { name: 's', variant: 'v' }, reset: false, emptyCache: false }],
      [
        'sync.start',
        {
          providerConfigKey: 'k',
          syncs: [
            { name: 'a', variant: 'base' },
            { name: 'b', variant: 'v' },
            { name: 'c', variant: 'w' },
          ],
        },
      ],
    ]);
  });

  it('says what to pass where arguments have the wrong form', async () => {
    const body = `const tries = [() => nango.startSync('k', 'name'), () => nango.startSync('k', [7]), () => nango.triggerSync('k', 'c'), () => nango.get({ endpoint: '/x', retries: 1, retryOn: 404 })];
      const said = []; for (const run of tries) await run().then(() => said.push('done'), (e) => said.push(e.name + ': ' + e.message)); return said`;

    expect(await evaluate(body)).toEqual([
      "TypeError: startSync takes a list of syncs: nango.startSync(key, ['name'])",
      'TypeError: A sync is named by a text, or by an object with name and variant',
      'TypeError: A sync is named by a text, or by an object with name and variant',
      'TypeError: retryOn takes a list of statuses, for example [404, 429]',
    ]);
  });

  it('keeps checkpoints and locks', async () => {
    const host = {
      'checkpoint.get': () => ({ a: 1 }),
      'checkpoint.save': () => null,
      'checkpoint.clear': () => null,
      'lock.acquire': () => true,
      'lock.release': () => false,
      'lock.releaseAll': () => null,
    };
    const { calls, output } = await callsOf(
      `await nango.saveCheckpoint({ at: new Date(0), n: 1, ok: true, s: 'x', none: undefined }); await nango.clearCheckpoint(); await nango.releaseAllLocks();
       const bad = await Promise.all([{ a: {} }, { a: null }, [1], { a: 'x'.repeat(262_137) }, { a: new Date(NaN) }, Object.fromEntries(Array.from({ length: 17 }, (_, i) => [i, i]))].map((c) => nango.saveCheckpoint(c).then(() => 'saved', () => 'refused')));
       const lock = await nango.tryAcquireLock({ key: '', ttlMs: 1 }).catch(() => 'refused');
       return [await nango.getCheckpoint(), await nango.tryAcquireLock({ key: 'k', ttlMs: 10 }), await nango.releaseLock({ key: 'k' }), bad, lock, await nango.tryAcquireLock({ key: 'k', ttlMs: 0 }).catch(() => 'refused')]`,
      host,
    );

    expect(output).toEqual([{ a: 1 }, true, false, Array(6).fill('refused'), 'refused', 'refused']);
    expect(calls.slice(0, 3)).toEqual([
      ['checkpoint.save', { checkpoint: { at: '1970-01-01T00:00:00.000Z', n: 1, ok: true, s: 'x' } }],
      ['checkpoint.clear', {}],
      ['lock.releaseAll', {}],
    ]);
  });

  it('saves texts of any length within 256 kB', async () => {
    const { calls } = await callsOf(
      `await nango.saveCheckpoint({ link: 'x'.repeat(6000) }); await nango.saveCheckpoint({ a: 'x'.repeat(262_136) });`,
      { 'checkpoint.save': () => null },
    );

    expect(calls).toEqual([
      ['checkpoint.save', { checkpoint: { link: 'x'.repeat(6000) } }],
      ['checkpoint.save', { checkpoint: { a: 'x'.repeat(262_136) } }],
    ]);
  });

  it('logs at or above its level, in batches, with the legacy names', async () => {
    const body = `await nango.log('info'); await nango.log('w', { a: 1 }, { level: 'warn' }); await nango.log({ o: 1 }, { level: 'error' });
      await nango.log('v', { level: 'verbose' }); await nango.log('x', { level: 'nonsense' }); await nango.log();
      nango.setLogger({ level: 'debug' }); await nango.log('s', { level: 'silly' }); nango.setLogger({ level: 'off' }); nango.setLogger({ level: 'debug' }); await nango.log('never', { level: 'error' }); return nango.logger.level`;
    const { logs, outcome } = await runCode(sandbox, actionCode(body), { context: { logLevel: 'warn' } });

    expect(outcome).toMatchObject({ output: '"off"' });
    expect(logs.map(({ level, message, meta }) => [level, message, meta])).toEqual([
      ['warn', 'w', '{"a":1}'],
      ['error', '{"o":1}', undefined],
      ['debug', 's', undefined],
    ]);
  });

  it('delivers the logs of a function that throws, and mentions a rejection that was not awaited', async () => {
    const { logs, outcome } = await runCode(
      sandbox,
      actionCode(
        'nango.log("before"); Promise.reject(new Error("lost")); await new Promise((d) => setTimeout(d, 1)); throw new Error("after")',
      ),
    );

    expect(outcome.ok).toBe(false);
    expect(logs.map((entry) => entry.message)).toEqual([
      'before',
      'An error was thrown outside of every awaited call: Error: lost',
    ]);
  });

  it('bounds what an endless logger can pile up', async () => {
    const { logs, outcome } = await runCode(
      sandbox,
      actionCode('for (let i = 0; i < 200000; i++) nango.log("line " + i); return 1'),
    );

    expect(outcome.ok).toBe(true);
    expect(logs.length).toBeLessThan(10_100);
    expect(logs.some((entry) => entry.message.includes('were dropped'))).toBe(true);
  });

  it('validates with zod, logs every issue and throws an ActionError', async () => {
    const body = `const { z } = require('zod'); const zodSchema = z.object({ a: z.string(), n: z.number().default(3) });
      const good = await nango.zodValidateInput({ zodSchema, input: { a: 'x' } });
      try { await nango.zodValidateInput({ zodSchema, input: { a: 1, n: 'x' } }) } catch (e) { return [good.data, e instanceof nango.ActionError, e.payload] }`;
    const { logs, outcome } = await runCode(sandbox, actionCode(body));

    expect(outcome).toMatchObject({
      output: JSON.stringify([{ a: 'x', n: 3 }, true, { message: 'Invalid input provided' }]),
    });
    expect(logs.map((entry) => entry.level)).toEqual(['error', 'error']);
  });
});
