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
  webhook_destinations: [{ name: 'Billing', url: 'https://a.test/hook', types: [], integrations: [] }],
} as const;

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
