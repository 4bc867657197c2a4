import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type RoutingSetup, rawBodyOf, route, type SentWebhook } from '../../../test/support/routing-fixture.ts';
import type { CheckedSignature } from './webhook-routing.ts';

const SECRET = 'secret-1';
const withSecret: RoutingSetup = { app: { webhookSecret: SECRET } };

/** The signature check that the routing reports. */
async function checked(name: string, sent: SentWebhook, setup: RoutingSetup = {}): Promise<CheckedSignature[]> {
  const results: CheckedSignature[] = [];
  await route(name, sent, { ...setup, onSignature: (result) => results.push(result) });
  return results;
}

const LINEAR: SentWebhook = { body: { type: 'Issue' } };
const signed: SentWebhook = {
  ...LINEAR,
  headers: { 'linear-signature': createHmac('sha256', SECRET).update(rawBodyOf(LINEAR)).digest('hex') },
};
const notice = (clientState: string): SentWebhook => ({ body: { value: [{ changeType: 'updated', clientState }] } });

describe('a routing reports about the signature', () => {
  it('that it fits, or does not', async () => {
    expect(await checked('linearWebhookRouting', signed, withSecret)).toEqual(['valid']);
    expect(await checked('linearWebhookRouting', LINEAR, withSecret)).toEqual(['invalid']);
    expect(await checked('microsoftWebhookRouting', notice(SECRET), withSecret)).toEqual(['valid']);
    expect(await checked('microsoftWebhookRouting', notice('else'), withSecret)).toEqual(['invalid']);
  });

  it('of a sender of your own: the secret itself, or the body signed with it', async () => {
    const sent: SentWebhook = { body: { type: 'ping', connectionId: 'c-1' } };
    const hmac = createHmac('sha256', SECRET).update(rawBodyOf(sent)).digest('hex');
    const result = (headers: Record<string, string>, setup = withSecret) =>
      checked('authenticatedWebhookRouting', { ...sent, headers }, setup);

    for (const headers of [
      { 'nango-webhook-secret': SECRET },
      { 'x-webhook-signature': hmac },
      { 'x-webhook-signature': `sha256=${hmac}` },
    ])
      expect(await result(headers)).toEqual(['valid']);
    for (const headers of [
      {},
      { 'nango-webhook-secret': 'other' },
      { 'x-webhook-signature': 'other' },
      { 'x-webhook-signature': 'other', 'nango-webhook-secret': SECRET },
    ] as Record<string, string>[])
      expect(await result(headers)).toEqual(['invalid']);
    expect(await result({ 'nango-webhook-secret': SECRET }, {})).toEqual(['invalid']);
  });

  it('that there is nothing to check it with', async () => {
    expect(await checked('slackWebhookRouting', { body: { type: 'event_callback' } })).toEqual(['unchecked']);
    expect(await checked('microsoftWebhookRouting', notice('any'))).toEqual(['unchecked']);
  });

  it('that the user wants no check', async () => {
    expect(await checked('linearWebhookRouting', LINEAR, { ...withSecret, skipsSignature: true })).toEqual(['skipped']);
  });

  it('nothing where settings are wrong, a handshake is answered, or the provider signs nothing', async () => {
    expect(await checked('highlevelWebhookRouting', { body: {} }, withSecret)).toEqual([]);
    expect(await checked('asanaWebhookRouting', { headers: { 'x-hook-secret': 's' } })).toEqual([]);
    expect(await checked('affinityWebhookRouting', { body: { type: 'x' } })).toEqual([]);
  });
});
