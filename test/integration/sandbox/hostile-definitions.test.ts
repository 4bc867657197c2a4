import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../server/platform/sandbox/sandbox.ts';
import { bundleOf, startSandbox } from './sandbox-fixture.ts';

/**
 * Built-ins that the runtime and zod use, with or without a name, while they read a definition. A hostile module
 * replaces one of them by a function that changes what it returns when that belongs to the victim.
 */
const BUILT_INS = [
  'JSON.stringify',
  'JSON.parse',
  'Object.entries',
  'Object.fromEntries',
  'Object.keys',
  'Object.values',
  'Object.assign',
  'Object.create',
  'Object.defineProperty',
  'Object.getOwnPropertyDescriptor',
  'Object.getPrototypeOf',
  'Object.freeze',
  'Reflect.ownKeys',
  'Array.from',
  'Array.isArray',
  'Array.prototype.concat',
  'Array.prototype.filter',
  'Array.prototype.find',
  'Array.prototype.flatMap',
  'Array.prototype.forEach',
  'Array.prototype.includes',
  'Array.prototype.join',
  'Array.prototype.map',
  'Array.prototype.push',
  'Array.prototype.reduce',
  'Array.prototype.slice',
  'Array.prototype.some',
  'Array.prototype[Symbol.iterator]',
  'Map.prototype.get',
  'Map.prototype.has',
  'Map.prototype.set',
  'Map.prototype.entries',
  'Set.prototype.has',
  'Set.prototype.add',
  'WeakMap.prototype.get',
  'WeakMap.prototype.set',
  'Function.prototype.call',
  'Function.prototype.bind',
  'String.prototype.replace',
  'String.prototype.slice',
  'zod.object',
  'zod.string',
  'zod.toJSONSchema',
  'zod.globalRegistry.get',
  'zod.globalRegistry.add',
  'Object.getPrototypeOf(zod.globalRegistry).get',
  'zod.core.$ZodRegistry.prototype.get',
  'zod.ZodType.prototype.optional',
];

/** Changes entries, objects and texts of the victim; everything else is returned as it is. */
const ALTER = `
  const { apply } = Reflect, { isArray } = Array, { hasOwn } = Object, { includes, replace } = String.prototype;
  const alter = (out) => {
    try {
      if (typeof out === 'string' && apply(includes, out, ['"victim"']))
        return apply(replace, out, ['"every hour"', '"every minute","trackDeletes":true']);
      if (isArray(out)) {
        for (let n = 0; n < out.length; n++)
          if (isArray(out[n]) && out[n][1] === 'victim') out[out.length] = ['trackDeletes', true];
      } else if (out && typeof out === 'object') {
        if (out.description === 'victim') { out.frequency = 'every minute'; out.trackDeletes = true; }
        if (hasOwn(out, 'secretModel')) delete out.secretModel;
        if (out.type === 'object' && out.properties) out.additionalProperties = true;
      }
    } catch {}
    return out;
  };`;

const REPLACED = BUILT_INS.map((name) => {
  const code = `const original = ${name};
    ${name} = function (...args) { return alter(apply(original, this, args)); };`;
  return [name, code] as const;
});
/** Inherited members and accessors, which the definition of another module would show. */
const INHERITED: Array<readonly [string, string]> = [
  ['an inherited trackDeletes', `Object.prototype.trackDeletes = true;`],
  ['an inherited onWebhook', `Object.prototype.onWebhook = () => {};`],
  ['an inherited input', `Object.prototype.metadata = zod.object({ forged: zod.string() });`],
  ['an inherited toJSON', `Object.prototype.toJSON = function () { return alter({ ...this }); };`],
  [
    'a setter for frequency',
    `Object.defineProperty(Object.prototype, 'frequency', { get: () => 'every minute', set() {}, enumerable: true });`,
  ],
  ['entries of every list', `Array.prototype.trackDeletes = ['trackDeletes', true];`],
  ['a changed module', `Object.defineProperty(zod, 'object', { value: () => zod.string() });`],
  [
    'forged definitions of zod',
    `const { init } = zod.core.$ZodObject; zod.core.$ZodObject.init = (one, def) => init(one, { ...def, shape: {} });`,
  ],
  ['a schema registered for all', `zod.globalRegistry.add = () => { throw new Error('no'); };`],
  ['other words of zod', `zod.config({ jitless: false, customError: () => 'changed' });`],
  ['all replaced at once', REPLACED.map(([, code]) => `try { ${code} } catch {}`).join('\n')],
];

const hostile = (code: string, copy: number) =>
  bundleOf(
    `const zod = require('zod'); ${ALTER} try { ${code} } catch {}
    module.exports.default = { type: 'action', description: 'hostile ${copy}', exec: async () => {} };`,
    `hostile${copy}-acme.cjs`,
  );
const victim = (copy: number) =>
  bundleOf(
    `const z = require('zod');
    module.exports.default = { type: 'sync', description: 'victim', version: '${copy}', frequency: 'every hour',
      endpoints: [{ method: 'DELETE', path: '/a' }],
      models: { secretModel: z.object({ id: z.string(), at: z.date(), list: z.array(z.string().nullable()) }) },
      metadata: ${copy === 1 ? 'z.object({ a: z.enum(["x", "y"]) })' : 'undefined'}, exec: async () => {} };`,
    `victim${copy}-bank.cjs`,
  );

/** Which definitions a shared realm would change depends on the order, so hostile modules come before each victim. */
const COPIES = [1, 2, 3, 4];

describe('the definition of a function', () => {
  let sandbox: Sandbox;
  const honest: unknown[] = [];
  beforeAll(async () => {
    sandbox = await startSandbox();
    for (const copy of COPIES) honest.push(await sandbox.describe(victim(copy)));
  });
  afterAll(() => sandbox.stop());

  it.each([...REPLACED, ...INHERITED])('is not changed by a module that was read before: %s', async (_what, code) => {
    const described = COPIES.flatMap((copy) => {
      void sandbox.describe(hostile(code, copy)).catch(() => undefined);
      return [sandbox.describe(victim(copy))];
    });

    expect(await Promise.all(described)).toEqual(honest);
    expect(sandbox.stats().workersLost).toBe(0);
  });
});
