import { describe, expect, it } from 'vitest';
import type { HubCalls } from './hub-calls.ts';
import { writeHub } from './write-hub.ts';

/** A hub that refuses to list its webhook destinations, and records what is written to it. */
function refusingHub(status: number): { hub: HubCalls; written: string[] } {
  const written: string[] = [];
  const hub: HubCalls = {
    baseUrl: 'http://hub.test',
    send: async (method, path) => {
      if (method !== 'GET') written.push(`${method} ${path}`);
      if (path === '/environment/webhook-destinations')
        return { status, body: { error: { code: 'refused', message: 'Try again later.' } } };
      return { status: 200, body: { data: [], connections: [] } };
    },
    call: () => Promise.reject(new Error('not asked')),
  };
  return { hub, written };
}

const file = {
  ...{ format: 'homeport-export', version: 1, exported_at: '2026-01-01T00:00:00.000Z', environment: 'dev' },
  ...{ settings: {}, integrations: [], connections: [], functions: {}, left_out: [] },
  saved_queries: [],
  record_destinations: [],
  webhook_destinations: [{ name: 'Billing', url: 'https://a.test/hook', types: [], integrations: [] }],
} as const;

describe('an import with new names', () => {
  it('never gives a name that another part of the file has', async () => {
    const created: unknown[] = [];
    const hub: HubCalls = {
      baseUrl: 'http://hub.test',
      send: async (method, path, { body } = {}) => {
        if (method === 'POST') created.push(body);
        if (path === '/integrations') return { status: 200, body: { data: [{ unique_key: 'acme' }] } };
        const connections = [{ provider_config_key: 'other', connection_id: 'mine' }];
        return { status: 200, body: { data: [], connections } };
      },
      call: () => Promise.reject(new Error('not asked')),
    };
    const integration = (unique_key: string) => ({
      unique_key,
      provider: 'acme',
      display_name: 'Acme',
      forward_webhooks: true,
    });
    const connection = (connection_id: string) => ({
      connection_id,
      provider_config_key: 'other',
      metadata: {},
      connection_config: {},
      tags: {},
    });
    const credentials = { type: 'API_KEY', apiKey: 'k' };
    const { rows } = await writeHub({
      hub,
      file: {
        ...structuredClone(file),
        webhook_destinations: [],
        saved_queries: [],
        record_destinations: [],
        integrations: [integration('acme'), integration('acme-2')],
        connections: [connection('mine'), connection('mine-2')],
      } as unknown as Parameters<typeof writeHub>[0]['file'],
      secrets: {
        variables: [],
        integrations: {},
        connections: { other: { mine: credentials, 'mine-2': credentials } },
        withheld: [],
      },
      conflict: 'rename',
      parts: new Set(['integrations', 'connections']),
    });

    expect(rows.map(({ name, outcome, detail }) => [name, outcome, detail])).toEqual([
      ['acme', 'renamed', 'acme-3'],
      ['acme-2', 'created', undefined],
      ['other/mine', 'renamed', 'mine-3'],
      ['other/mine-2', 'created', undefined],
    ]);
    expect(created).toEqual([
      expect.objectContaining({ unique_key: 'acme-3' }),
      expect.objectContaining({ unique_key: 'acme-2' }),
      expect.objectContaining({ connection_id: 'mine-3' }),
      expect.objectContaining({ connection_id: 'mine-2' }),
    ]);
  });
});

describe('an import of webhook destinations', () => {
  it.each([404, 429, 500])('replaces nothing when the ones that are there cannot be read (%i)', async (status) => {
    const { hub, written } = refusingHub(status);
    const whole = structuredClone(file) as unknown as Parameters<typeof writeHub>[0]['file'];
    const { rows } = await writeHub({
      hub,
      file: whole,
      secrets: undefined,
      conflict: 'replace',
      parts: new Set(['settings']),
    });

    expect(rows).toEqual([{ kind: 'destination', name: 'Billing', outcome: 'failed', detail: 'Try again later.' }]);
    expect(written).toEqual([]);
  });
});
