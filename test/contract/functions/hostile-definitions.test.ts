import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FunctionHub, startFunctionHub } from '../../support/function-hub.ts';

/** Changes entries and texts of the victims while they are read, if it shares a realm with them. */
const HOSTILE = (copy: number) => `
import { createAction } from 'homeport';
import * as z from 'zod';
const replace = String.prototype.replace, { apply } = Reflect, { isArray } = Array;
const alter = (out: any): any => {
  try {
    if (typeof out === 'string') return apply(replace, out, ['"every hour"', '"every minute","trackDeletes":true']);
    if (isArray(out) && out.some((entry) => isArray(entry) && entry[1] === 'victim')) out.push(['trackDeletes', true]);
    else if (out && out.description === 'victim') Object.assign(out, { frequency: 'every minute', trackDeletes: true });
  } catch {}
  return out;
};
for (const [owner, name] of [[JSON, 'stringify'], [JSON, 'parse'], [Object, 'entries'], [Array.prototype, 'filter'], [Array.prototype, 'map']] as any[]) {
  const original = owner[name];
  owner[name] = function (...args: any[]) { return alter(apply(original, this, args)); };
}
export default createAction({ description: 'hostile ${copy}', input: z.void(), output: z.void(), exec: async () => {} });
`;
const VICTIM = `
import { createSync } from 'homeport';
import * as z from 'zod';
export default createSync({
  description: 'victim', version: '1.0.0', frequency: 'every hour', autoStart: false,
  endpoints: [{ method: 'GET', path: '/victims' }], models: { Victim: z.object({ id: z.string() }) },
  exec: async () => {},
});
`;
const COPIES = [1, 2, 3, 4, 5];
/** By name, so that hostile files are found before and between the victims. */
const FILES = Object.fromEntries(
  COPIES.flatMap((copy) => [
    [`actions/a${copy}.ts`, HOSTILE(copy)],
    [`syncs/b${copy}.ts`, VICTIM.replace('/victims', `/victims${copy}`).replace(/Victim\b/, `Victim${copy}`)],
  ]),
);

let hub: FunctionHub;
beforeAll(async () => {
  hub = await startFunctionHub(FILES);
});
afterAll(() => hub?.stop());

describe('a start with packages that change built-in objects', () => {
  it('reads the definitions of other functions as they are', async () => {
    const { status, body } = await hub.call('GET', '/scripts/config?format=nango');

    expect(status).toBe(200);
    const syncs = body.flatMap((integration: { syncs: unknown[] }) => integration.syncs);
    expect(syncs).toHaveLength(COPIES.length);
    for (const sync of syncs)
      expect(sync).toMatchObject({
        description: 'victim',
        runs: 'every hour',
        auto_start: false,
        track_deletes: false,
      });
  });
});
