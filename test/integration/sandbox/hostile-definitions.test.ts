import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../server/platform/sandbox/sandbox.ts';
import { HOSTILE_DEFINITIONS, HOSTILE_START } from './hostile-tables.ts';
import { bundleOf, startSandbox } from './sandbox-fixture.ts';

const hostile = (code: string, copy: number) =>
  bundleOf(
    `const zod = require('zod'); ${HOSTILE_START} try { ${code} } catch {}
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

  it.each(HOSTILE_DEFINITIONS)('is not changed by a module that was read before: %s', async (_what, code) => {
    const described = COPIES.flatMap((copy) => {
      void sandbox.describe(hostile(code, copy)).catch(() => undefined);
      return [sandbox.describe(victim(copy))];
    });

    expect(await Promise.all(described)).toEqual(honest);
    expect(sandbox.stats().workersLost).toBe(0);
  });
});
