import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import type { LoggedOperation } from '../logs/logged-entries.ts';
import { type PlaygroundTargetDeps, PlaygroundTargets } from './playground-targets.ts';

const request = {
  ...{ kind: 'sync', mode: 'live', integrationKey: 'acme', connectionId: 'mine', name: 'issues' },
  ...{ variant: 'base', isFull: false },
} as const;
const operation = (id: string, variant: string, endedAt: number | null) =>
  ({ id, variant, endedAt, state: endedAt === null ? 'running' : 'success' }) as LoggedOperation;

/** Prepares a live run of a sync. `listed` are the operations of its function, newest first. */
function prepare(clock: FakeClock, listed: (from: number | undefined) => LoggedOperation[]) {
  const deps = {
    clock,
    integrations: { find: async () => ({ id: 1, uniqueKey: 'acme' }) },
    connections: { find: async () => ({ id: 1, connectionId: 'mine' }) },
    deployments: { findActive: async () => ({}) },
    schedules: { commands: { trigger: async () => {} } },
    logs: {
      listOperations: async ({ from }: { from?: number }) => ({ operations: listed(from) }),
      findOperation: async (_environmentId: number, id: string) => operation(id, 'base', clock.now()),
    },
  } as unknown as PlaygroundTargetDeps;
  return new PlaygroundTargets(deps).prepare({ id: 1 } as never, request as never);
}

describe('a live sync of the playground', () => {
  it('ends with the run that was in progress, because no second one starts', async () => {
    const run = await prepare(new FakeClock(), (from) =>
      from === undefined ? [operation('earlier', 'base', null)] : [],
    );
    const started: string[] = [];

    const result = await run(new AbortController().signal, (id) => started.push(id));

    expect(started).toEqual(['earlier']);
    expect(result.recorded).toBeDefined();
  });

  it('is the run of its own variant, also when another one started later', async () => {
    const ended = [operation('other', 'large', 1), operation('own', 'base', 1)];
    const run = await prepare(new FakeClock(), (from) => (from === undefined ? [] : ended));
    const started: string[] = [];

    await run(new AbortController().signal, (id) => started.push(id));

    expect(started).toEqual(['own']);
  });
});
