// @module-tag slow
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FunctionHubProcess, type HubResponse, startFunctionHubProcess } from '../../support/function-hub.ts';
import { actionSource } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';

const FILES = { 'actions/ask.ts': actionSource(`return (await nango.get({ endpoint: input.endpoint })).data;`) };

let hub: FunctionHubProcess;

beforeAll(async () => {
  hub = await startFunctionHubProcess(FILES);
});
afterAll(() => hub?.stop());

/** Starts an action that hangs in its first request, kills the server, and starts the server again. */
async function interrupt(endpoint: string, retries: number, end: () => Promise<void>): Promise<string> {
  let isFirst = true;
  const begun = new Promise<void>((resolve) => {
    hub.provider.on(`GET ${endpoint}`, async () => {
      if (!isFirst) return { body: { attempt: 2 } };
      isFirst = false;
      resolve();
      return new Promise(() => {});
    });
  });
  const { body } = await hub.action('ask', { endpoint }, { 'x-async': 'true', 'x-max-retries': String(retries) });
  await begun;
  await end();
  return body.id;
}

function responseOf(id: string): Promise<HubResponse> {
  return waitFor(async () => {
    const response = await hub.call('GET', `/action/${id}`);
    return response.body?.error?.code === 'not_found' ? undefined : response;
  });
}

async function crash(): Promise<void> {
  await hub.server.kill();
  await hub.server.restart();
}

describe('an asynchronous action under which the server ends', () => {
  it.each([
    ['a crash', '/crashed', crash],
    ['an orderly stop', '/stopped', () => hub.server.restart()],
  ])('is tried again after %s, if it has retries', async (_what, endpoint, end) => {
    const id = await interrupt(endpoint, 1, end);

    expect(await responseOf(id)).toMatchObject({ status: 200, body: { attempt: 2 } });
  });

  it.each([
    ['a crash', '/crashed-for-good', crash],
    ['an orderly stop', '/stopped-for-good', () => hub.server.restart()],
  ])('has failed after %s, if it has none', async (_what, endpoint, end) => {
    const id = await interrupt(endpoint, 0, end);

    expect(await responseOf(id)).toMatchObject({
      status: 500,
      body: { error: { code: 'action_script_failure', payload: { error: expect.any(String) } } },
    });
    expect(hub.provider.requestsTo(endpoint)).toHaveLength(1);
  });
});
