// @module-tag nightly
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { type FunctionHubProcess, startFunctionHubProcess } from '../../support/function-hub.ts';
import { named, nightlyEach } from '../../support/nightly-each.ts';
import { actionSource } from '../../support/server-workspace.ts';

const MEBIBYTE = 1024 * 1024;
const SIZE = 90 * MEBIBYTE;
const LAST_BYTE_AFTER_MS = 3_000;

/** Twenty seconds of waiting, and the reading of what was under way. */
const LONGEST_MS = 60_000;
const REFUSED = 'ERR_TOO_MANY_LARGE_RESPONSES';

const askAll = (count: number, ask: string) =>
  actionSource(`return Promise.all(Array.from({ length: ${count} }, () => ${ask}));`);

let hub: FunctionHubProcess;
beforeAll(async () => {
  const response = Buffer.alloc(SIZE, 'x');
  hub = await startFunctionHubProcess(
    {
      'actions/many-gets.ts': askAll(
        20,
        `nango.get({ endpoint: '/big' }).then(({ data }) => data.length, ({ code }) => code)`,
      ),
      'actions/many-fetches.ts': actionSource(`
        const { url } = input as { url: string };
        const ask = () => nango.uncontrolledFetch({ url: new URL(url) }).then(
          async (response) => (await response.bytes()).length,
          ({ code }) => code,
        );
        return Promise.all(Array.from({ length: 40 }, ask));`),
      'actions/quick.ts': actionSource(`return 'done';`),
    },
    {
      prepare: (provider) =>
        provider.on('GET /big', {
          headers: { 'content-type': 'text/plain' },
          body: response,
          lastByteAfterMs: LAST_BYTE_AFTER_MS,
        }),
    },
  );
  const { hostname } = new URL(hub.provider.address);
  await hub.call('PATCH', '/environment/settings', { body: { allowed_hosts: [hostname] } });
});
afterAll(() => hub?.stop());

describe('a function that asks for many large answers at once', () => {
  const actions = named(['many-gets', 'many-fetches']);
  nightlyEach(actions, 2)('gets the first ones; the others are refused: %s', async (action) => {
    const startedAt = performance.now();

    const { status, body } = await hub.action(action, { url: `${hub.provider.address}/big` });

    expect(status).toBe(200);
    const answers = body as Array<number | string>;
    expect(answers.filter((answer) => answer === SIZE).length).toBeGreaterThanOrEqual(1);
    expect(answers.filter((answer) => answer !== SIZE && answer !== REFUSED)).toEqual([]);
    expect(performance.now() - startedAt).toBeLessThan(LONGEST_MS);
    expect(await hub.action('quick')).toMatchObject({ status: 200, body: 'done' });
  });
});
