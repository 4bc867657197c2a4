// @module-tag slow
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pushedAction } from '../../contract/functions/pushed-action.ts';
import { type FunctionHubProcess, startFunctionHubProcess } from '../../support/function-hub.ts';

const NAMES = Array.from({ length: 60 }, (_, index) => `action-${index}`);
const KILLED_AFTER_MS = [5, 20, 40, 80, 160];

let hub: FunctionHubProcess;
beforeAll(async () => {
  hub = await startFunctionHubProcess({});
});
afterAll(() => hub?.stop());

function deploy(response: string) {
  return hub.call('POST', '/sync/deploy', {
    body: {
      flowConfigs: NAMES.map((name) => pushedAction(name, { response, integration: 'acme' })),
      onEventScriptsByProvider: [],
      reconcile: true,
      debug: false,
      deployMode: 'all',
      sdkVersion: '0.71.0-zero',
      nangoYamlBody: '',
    },
  });
}

async function versions(): Promise<string[]> {
  const { body } = await hub.call('GET', '/scripts/config');
  return body[0].actions.map(({ version }: { version: string }) => version);
}

describe('a deploy that a power cut ends', () => {
  it('is live as a whole or not at all', { tags: ['nightly'] }, async () => {
    expect((await deploy('first')).status).toBe(200);
    for (const [round, afterMs] of KILLED_AFTER_MS.entries()) {
      const response = deploy(`round ${round}`).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      await hub.server.kill();
      await response;
      await hub.server.restart();

      const live = await versions();
      expect(live).toHaveLength(NAMES.length);
      expect(new Set(live).size, `versions ${live.join(', ')} when killed after ${afterMs} ms`).toBe(1);
    }
  });
});
