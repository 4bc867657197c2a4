import type { Boot, BundleFactory, Dispatch, Send } from './guest-link.ts';

/**
 * Runs one typical function while the start-up snapshot is made. The code that V8 compiles for it becomes part of the
 * snapshot, so no run has to wait for it. The function has its own context, and nothing else of it remains.
 */
export function warmUp(boot: Boot): void {
  let dispatch: Dispatch | undefined;
  const send = ((kind: string, id: number) => {
    if (kind === 'logs' || kind === 'call') dispatch?.('result', id, true, kind === 'logs' ? null : RESPONSE);
  }) as Send;
  dispatch = boot(send, () => ({ ok: true, value: URL_RESPONSE }));
  dispatch('start', factory, { fileName: 'warm-up.cjs', context: CONTEXT, input: '{"a":[1]}' });
}

/** One response that all calls below can read. */
const RESPONSE = { records: [], nextCursor: null, status: 200, statusText: 'OK', headers: {}, body: '{}', config: {} };
const URL_RESPONSE = { href: 'https://example.com/', search: '', pathname: '/' };

const CONTEXT = {
  scriptType: 'sync' as const,
  connectionId: 'c',
  providerConfigKey: 'p',
  provider: 'p',
  environmentId: 1,
  environmentName: 'dev',
  accountId: 0,
  nangoConnectionId: 1,
  activityLogId: '1',
  isCLI: false,
  logLevel: 'debug' as const,
  syncConfig: {},
  models: ['Model'],
  paginateDefaults: null,
  syncId: 's',
  syncJobId: 1,
  lastSyncDate: '2026-01-01T00:00:00.000Z',
};

interface Nango {
  log(...args: unknown[]): Promise<void>;
  get(config: object): Promise<unknown>;
  batchSave(records: object[], model: string): Promise<unknown>;
  ActionError: new (payload: object) => Error;
}

const factory: BundleFactory = (_exports, require, module) => {
  const { z } = require('zod') as typeof import('zod');
  const model = z.object({
    id: z.string(),
    name: z.string().optional(),
    tags: z.array(z.number()),
    extra: z.record(z.string(), z.any()),
    one: z.union([z.string(), z.null()]),
    kind: z.enum(['a', 'b']),
    flag: z.boolean().nullable(),
  });
  const exec = async (nango: Nango): Promise<void> => {
    model.safeParse({ id: 'x', tags: [1], extra: {}, one: null, kind: 'a', flag: null });
    model.safeParse({});
    await nango.log('A line', { with: ['a', 'payload'] });
    await nango.get({ endpoint: '/x', params: { q: 1 } }).catch(() => {});
    await nango.batchSave([{ id: 1 }], 'Model').catch(() => {});
    Buffer.from('text').toString('base64');
    throw new nango.ActionError({ reason: 'warm' });
  };
  module.exports = { default: { type: 'sync', models: { Model: model }, exec } };
};
