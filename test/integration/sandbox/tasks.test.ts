import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../server/platform/sandbox/sandbox.ts';
import { actionCode, bundleOf, outputOf, runCode, startSandbox } from './sandbox-fixture.ts';

describe('tasks of the sandbox', () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox();
  });
  afterAll(() => sandbox.stop());
  const errorOf = async (code: string) => {
    const { outcome } = await runCode(sandbox, code);
    return !outcome.ok && outcome.failure.kind === 'thrown' ? outcome.failure.error : undefined;
  };

  it.each([
    [undefined, {}],
    [null, {}],
    [0, {}],
    ['', {}],
    ['text', 'text'],
    [[1], [1]],
    [{ a: 1 }, { a: 1 }],
  ])('gives an action the input %j as %j', async (input, expected) => {
    expect(await outputOf(sandbox, 'return input', { input })).toEqual(expected);
  });

  it('answers null for nothing and drops what JSON does not know', async () => {
    expect(await outputOf(sandbox, 'return undefined')).toBeNull();
    expect(await outputOf(sandbox, 'return { a: undefined, at: new Date(0), f() {} }')).toEqual({
      at: '1970-01-01T00:00:00.000Z',
    });
  });

  it('runs webhooks with their payload, events without, and ignores what they return', async () => {
    const code = `module.exports.default = { type: 'sync', exec: async () => 1, onWebhook: async (nango, payload) => { await nango.setMetadata(payload); return 5 } }`;
    const webhook = await runCode(sandbox, code, {
      context: { scriptType: 'webhook' },
      input: { event: 'x' },
      host: { 'metadata.set': () => ({}) },
    });
    const event = await runCode(
      sandbox,
      `module.exports = { type: 'onEvent', exec: async (nango, ...rest) => { await nango.setMetadata({ rest }) } }`,
      { context: { scriptType: 'on-event' }, host: { 'metadata.set': () => ({}) } },
    );

    expect(webhook.outcome).toMatchObject({ ok: true, output: 'null' });
    expect(webhook.calls[0]?.args).toEqual({ metadata: { event: 'x' } });
    expect(event.calls[0]?.args).toEqual({ metadata: { rest: [] } });
  });

  it('fails a webhook run of a sync without a handler', async () => {
    const { outcome } = await runCode(sandbox, `module.exports.default = { type: 'sync', exec: async () => {} }`, {
      context: { scriptType: 'webhook' },
    });

    expect(outcome).toMatchObject({
      failure: { kind: 'thrown', error: { message: expect.stringContaining('onWebhook') } },
    });
  });

  it('keeps type and payload of an ActionError', async () => {
    expect(await errorOf(actionCode('throw new nango.ActionError({ why: "x", at: new Date(0) })'))).toMatchObject({
      name: 'ActionError',
      message: '',
      type: 'action_script_runtime_error',
      payload: { why: 'x', at: '1970-01-01T00:00:00.000Z' },
    });
  });

  it('keeps name, message, code and the lines of its own file of an error', async () => {
    const error = await errorOf(
      `const deep = () => { throw Object.assign(new TypeError('bad'), { code: 'E_BAD' }) };\n${actionCode('await null; deep()')}`,
    );

    expect(error).toMatchObject({ name: 'TypeError', message: 'bad', code: 'E_BAD' });
    expect(error?.stack?.split('\n').every((line) => line.includes('probe-acme.cjs'))).toBe(true);
    expect(error?.stack).toContain('probe-acme.cjs:1:');
  });

  it.each([
    ['"text"', { name: 'Error', message: '"text"', thrown: '"text"' }],
    ['undefined', { name: 'Error', message: 'null' }],
    ['{ a: 1 }', { name: 'Error', message: '{"a":1}', thrown: '{"a":1}' }],
    ['{ message: "m", code: "c" }', { name: 'Error', message: 'm', code: 'c' }],
    ['{ get message() { throw 1 } }', { name: 'Error', message: 'The thrown value cannot be read.' }],
    ['(() => { const o = {}; o.o = o; return o })()', { name: 'Error', message: '{"o":"[Circular]"}' }],
    ['{ toJSON() { throw 1 } }', { name: 'Error', message: '"[object Object]"' }],
  ])('makes an error of the thrown %s', async (value, expected) => {
    expect(await errorOf(actionCode(`throw ${value}`))).toMatchObject(expected);
  });

  it.each([
    ['syntax', 'const = 1', 'SyntaxError', ''],
    ['a missing default export', 'module.exports.other = 1', 'Error', 'default export'],
    ['a throw outside the wrapper', '}); throw new RangeError("outside"); (function () {', 'RangeError', 'outside'],
    ['a throw at load time', 'throw new RangeError("early")', 'RangeError', 'early'],
  ])('reports %s as thrown', async (_what, code, name, message) => {
    const error = await errorOf(code);

    expect(error?.name).toBe(name);
    expect(error?.message).toContain(message);
  });

  it('describes a sync, an action and an event handler', async () => {
    const sync = await sandbox.describe(
      bundleOf(`const { z } = require('zod');
      module.exports.default = { type: 'sync', description: 'd', version: '1', frequency: 'every hour', autoStart: true, endpoints: [{ method: 'GET', path: '/a' }], webhookSubscriptions: ['*'],
        models: { Beta: z.object({ id: z.string(), at: z.date(), n: z.number().default(1) }), Alpha: z.looseObject({ id: z.string() }) }, metadata: z.void(), checkpoint: z.object({ a: z.string() }),
        exec: async () => {}, onWebhook: async () => {} }`),
    );
    const action = await sandbox.describe(
      bundleOf(`const z = require('zod');
      module.exports.default = { type: 'action', input: z.void(), output: z.union([z.string(), z.null()]).transform((x) => x), exec: async () => {} }`),
    );
    const event = await sandbox.describe(
      bundleOf(`module.exports.default = { type: 'onEvent', event: 'post-connection-creation', exec: async () => {} }`),
    );

    expect(sync).toEqual({
      type: 'sync',
      props: {
        description: 'd',
        version: '1',
        frequency: 'every hour',
        autoStart: true,
        endpoints: [{ method: 'GET', path: '/a' }],
        webhookSubscriptions: ['*'],
      },
      models: [
        {
          name: 'Beta',
          schema: {
            type: 'object',
            properties: {
              id: { type: 'string' },
              at: { type: 'string', format: 'date-time' },
              n: { type: 'number', default: 1 },
            },
            required: ['id', 'at', 'n'],
            additionalProperties: false,
          },
        },
        {
          name: 'Alpha',
          schema: {
            type: 'object',
            properties: { id: { type: 'string' } },
            required: ['id'],
            additionalProperties: {},
          },
        },
      ],
      metadata: { type: 'null' },
      hasOnWebhook: true,
    });
    expect(action).toEqual({
      type: 'action',
      props: {},
      input: { type: 'null' },
      output: {},
      metadata: null,
      hasOnWebhook: false,
    });
    expect(event).toEqual({
      type: 'onEvent',
      props: { event: 'post-connection-creation' },
      metadata: null,
      hasOnWebhook: false,
    });
  });

  it('describes many bundles at once as it describes each alone', async () => {
    const code = (name: string, more = '') => `const { z } = require('zod');
      const S = z.object({ id: z.string() }).meta({ id: 'Shared', title: '${name}' }); ${more}
      module.exports.default = { type: 'action', description: '${name}', input: S, output: z.void(), exec() {} };
//# sourceMappingURL=data:application/json;base64,e30=`;
    const bundles = ['a', 'b', 'c'].map((name) => bundleOf(code(name), `${name}-acme.cjs`));
    const broken = bundleOf(code('broken', 'throw new Error("at load");'));
    const alone: unknown[] = [];
    for (const bundle of bundles) alone.push(await sandbox.describe(bundle));

    const first = sandbox.describe(bundleOf(code('first')));
    const described = await Promise.allSettled([...bundles, broken].map((bundle) => sandbox.describe(bundle)));

    expect((await first).props).toEqual({ description: 'first' });
    expect(described.slice(0, 3).map((one) => one.status === 'fulfilled' && one.value)).toEqual(alone);
    expect(described[3]).toMatchObject({ status: 'rejected', reason: { message: 'at load' } });
  });

  it('rejects a description that fails, naming why', async () => {
    await expect(sandbox.describe(bundleOf('require("fs")'))).rejects.toMatchObject({
      name: 'DescribeError',
      message: "Module 'fs' is not allowed",
      failure: { kind: 'thrown' },
    });
  });

  it('says where in the author’s files a module threw', async () => {
    const map = { version: 3, sources: ['acme/config.ts'], names: [], mappings: ';AAEE' };
    const encoded = Buffer.from(JSON.stringify(map)).toString('base64');
    const code = `\nnull.x;\n//# sourceMappingURL=data:application/json;base64,${encoded}\n`;

    await expect(sandbox.describe(bundleOf(code))).rejects.toMatchObject({
      position: { file: 'acme/config.ts', line: 3, column: 3 },
    });
  });
});

describe('what functions find in their isolate', () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox();
  });
  afterAll(() => sandbox.stop());
  const evaluate = (expression: string) => outputOf(sandbox, `return ${expression}`);

  it.each([
    [
      'require("crypto").createHash("sha256").update("a").update(Buffer.from("b")).digest("hex")',
      'fb8e20fc2e4c3f248c60c39bd652f3c1347298bb977b8b4d5903b85055620603',
    ],
    [
      'require("node:crypto").createHmac("sha1", "key").update("data").digest("base64")',
      'EEFSxb/coHvGM+69RhmfAlXJ9J0=',
    ],
    [
      'require("crypto").createHash("md5").update("é", "utf8").digest("base64url")',
      createHash('md5').update('é').digest('base64url'),
    ],
    ['/^[0-9a-f-]{36}$/.test(require("crypto").randomUUID())', true],
    ['require("crypto").randomBytes(12).length', 12],
    ['require("crypto").timingSafeEqual(Buffer.from("a"), Buffer.from("a"))', true],
    [
      'require("zod").default === require("zod").z && require("zod").z.string().email().safeParse("a@b.co").success',
      true,
    ],
    ['new (require("url").URL)("https://ex%41mple.com:443/a/../b?x=1#h").href', 'https://example.com/b?x=1#h'],
    ['new URL("//münchen.de/ü", "http://x").href', 'http://xn--mnchen-3ya.de/%C3%BC'],
    [
      '(() => { const u = new URL("https://a.b/?x=1"); u.searchParams.append("y", "a b&"); u.pathname = "/p q"; u.hash = "z"; return [u.href, u.search] })()',
      ['https://a.b/p%20q?x=1&y=a+b%26#z', '?x=1&y=a+b%26'],
    ],
    [
      '(() => { try { new URL("nope") } catch (e) { return [e.name, e.code, e instanceof TypeError] } })()',
      ['TypeError', 'ERR_INVALID_URL', true],
    ],
    [
      '[URL.canParse("x"), URL.parse("x"), JSON.stringify({ u: new URL("http://a") })]',
      [false, null, '{"u":"http://a/"}'],
    ],
    [
      'Buffer.from("aGk", "base64url").toString() + Buffer.from([255, 254]).toString("base64url") + Buffer.concat([Buffer.alloc(1, 65), Buffer.from("é")]).toString()',
      'hi__4Aé',
    ],
    ['[btoa("é"), atob("6Q=="), new TextDecoder().decode(new TextEncoder().encode("€"))]', ['6Q==', 'é', '€']],
    [
      '(() => { const s = { m: new Map([[1, new Date(0)]]) }; const c = structuredClone(s); return [c.m.get(1).getTime(), c !== s, c.m instanceof Map] })()',
      [0, true, true],
    ],
    ['await new Promise((done) => queueMicrotask(() => done("micro")))', 'micro'],
    [
      'await new Promise((done) => { const t = setTimeout(() => done("no"), 1); clearTimeout(t); setTimeout(done, 5, "yes") })',
      'yes',
    ],
    [
      '[typeof console.log("x"), typeof console.table, new Intl.NumberFormat("de").format(1.5), typeof globalThis]',
      ['undefined', 'function', '1,5', 'object'],
    ],
    [
      '[typeof module.exports, __filename, new Error("x") instanceof Error, (() => {}) instanceof Function]',
      ['object', 'probe-acme.cjs', true, true],
    ],
  ])('%s', async (expression, expected) => {
    expect(await evaluate(expression)).toEqual(expected);
  });

  it('has another random sequence in every isolate', async () => {
    const [first, second] = await Promise.all([evaluate('Math.random()'), evaluate('Math.random()')]);

    expect(first).not.toBe(second);
  });
});
