import { expect } from 'vitest';
import type { AuthModesHub, Wire } from './auth-modes-hub.ts';

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export interface Attempt {
  /** `/<endpoint>/<integration>` */
  at: string;
  body?: unknown;
  query?: string;
}

/** Connects, and returns the stored connection. */
export async function connectTo(hub: AuthModesHub, { at, ...submission }: Attempt): Promise<Wire> {
  const key = integrationOf(at);
  const response = await hub.submit(at, submission);
  expect(response.body).toEqual({ connectionId: expect.stringMatching(UUID_V4), providerConfigKey: key });
  expect(response.status).toBe(200);
  return hub.read(key, (response.body as { connectionId: string }).connectionId, '&refresh_token=true');
}

/** Asserts that the provider's refusal is reported, and that nothing was stored. */
export async function expectRefused(
  hub: AuthModesHub,
  { at, ...submission }: Attempt,
  expected: object,
): Promise<void> {
  const before = await hub.listOf(integrationOf(at));
  expect(await hub.refusal(at, submission)).toMatchObject(expected);
  expect(await hub.listOf(integrationOf(at))).toEqual(before);
}

const integrationOf = (at: string): string => at.slice(at.lastIndexOf('/') + 1);
