import { beforeEach, describe, expect, it } from 'vitest';
import type { GuestContext } from '../bridge.ts';
import { HostCalls } from '../host-calls.ts';
import { ConnectionMembers } from './connection-members.ts';
import { integrationMembers } from './context-object.ts';
import { FunctionLog } from './function-log.ts';
import type { GuestRun, Members } from './guest-run.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

let nowMs: number;
let asked: string[];
let members: Record<string, (...args: unknown[]) => Promise<unknown>>;

/** A host that answers at once and counts its calls. The clock moves only when the test moves it. */
beforeEach(() => {
  nowMs = 0;
  asked = [];
  const host: HostCalls = new HostCalls((kind, ...args) => {
    if (kind !== 'call') return;
    const [id, method] = args as [number, string];
    asked.push(method);
    queueMicrotask(() => host.settle(id, true, { metadata: {} }));
  });
  const now = () => nowMs;
  const context = { providerConfigKey: 'acme', connectionId: 'c1' } as GuestContext;
  const run: GuestRun = { host, now, context, log: new FunctionLog({ host, level: 'off', now }) };
  const all: Members = { ...new ConnectionMembers(run).members(), ...integrationMembers(run) };
  members = all as typeof members;
});

async function call(name: string, ...args: unknown[]): Promise<void> {
  await members[name]?.(...args);
}

/** functions.md 3.4. */
describe('what a run caches', () => {
  it.each([
    ['getConnection', 60 * SECOND],
    ['getMetadata', 60 * SECOND],
    ['getIntegration', 10 * MINUTE],
    ['getWebhookURL', 10 * MINUTE],
  ])('%s asks again after %d ms, not before', async (name, ttlMs) => {
    await call(name);
    nowMs = ttlMs - 1;
    await call(name);
    expect(asked).toHaveLength(1);

    nowMs = ttlMs;
    await call(name);

    expect(asked).toHaveLength(2);
  });

  it('a renewed connection is not remembered as it was before, so that getToken gives the new token', async () => {
    await call('getConnection');
    await call('getConnection', undefined, undefined, { forceRefresh: true });
    await call('getToken');
    await call('getMetadata');

    expect(asked).toHaveLength(3);
  });

  it('getIntegration keeps each set of parts by itself, in any order', async () => {
    await call('getIntegration', { include: ['webhook', 'credentials'] });
    await call('getIntegration', { include: ['credentials', 'webhook'] });
    await call('getIntegration', { include: ['webhook'] });
    await call('getWebhookURL');

    expect(asked).toHaveLength(2);
  });

  it('getEnvironmentVariables asks every time', async () => {
    await call('getEnvironmentVariables');
    await call('getEnvironmentVariables');

    expect(asked).toHaveLength(2);
  });
});
