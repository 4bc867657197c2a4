import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorizePractice } from '../../test/support/authorize-practice.ts';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { checkEntry } from '../integrations/catalog/check-entry.ts';
import type { ProviderDefinition } from '../integrations/catalog/entry-schema.ts';
import { PRACTICE_CLIENT } from './authorization/practice-client.ts';
import { practiceEntries } from './practice-entries.ts';
import { createPracticeProvider } from './practice-provider.ts';

const provider = createPracticeProvider({ clock: new FakeClock() });
let address: string;
let entries: Record<string, ProviderDefinition>;

beforeAll(async () => {
  ({ address } = await provider.start());
  entries = Object.fromEntries(
    Object.entries(practiceEntries(address)).map(([name, entry]) => {
      const checked = checkEntry(entry, { isBuiltin: false });
      if ('issues' in checked) throw new Error(`${name}: ${JSON.stringify(checked.issues)}`);
      // The hub uses the entries without checking them.
      expect(checked.definition).toEqual(entry);
      return [name, checked.definition];
    }),
  );
});
afterAll(() => provider.stop());

const textOf = (value: unknown): string => String(value ?? '');

describe('practiceEntries', () => {
  it('has one sound entry for each way of signing in', () => {
    expect(Object.entries(entries).map(([name, { auth_mode }]) => [name, auth_mode])).toEqual([
      ['practice', 'API_KEY'],
      ['practice-client-credentials', 'OAUTH2_CC'],
      ['practice-oauth1', 'OAUTH1'],
      ['practice-oauth2', 'OAUTH2'],
    ]);
  });

  it.each(['practice-client-credentials', 'practice-oauth1', 'practice-oauth2'])(
    'names addresses for %s that answer, and a guide with the client',
    async (name) => {
      const { authorization_url, docs, request_url, token_url } = entries[name] ?? {};
      for (const url of [request_url, token_url])
        if (url) expect([400, 401], textOf(url)).toContain((await fetch(textOf(url), { method: 'POST' })).status);
      if (authorization_url)
        expect((await fetch(authorization_url)).headers.get('content-type')).toContain('text/html');
      expect(await (await fetch(textOf(docs))).text()).toContain(PRACTICE_CLIENT.secret);
    },
  );

  it('asks by default for scopes that there are', async () => {
    const { default_scopes = [], token_response_metadata } = entries['practice-oauth2'] ?? {};

    const response = await authorizePractice(address, { scope: default_scopes.join(' ') });

    expect(response.scope.split(' ')).toEqual(default_scopes);
    expect(response).toMatchObject({ workspace_id: expect.any(String), user: { id: expect.any(String) } });
    expect(token_response_metadata).toEqual(['workspace_id', 'user.id']);
  });

  it('refreshes tokens well before their end, not as soon as they are there', async () => {
    const { expires_in } = await authorizePractice(address);

    expect(entries['practice-oauth2']?.token_expiration_buffer).toBeLessThan(expires_in / 2);
    expect(entries['practice-client-credentials']?.token_expiration_buffer).toBeLessThan(expires_in / 2);
  });

  it('shows the client where people enter it', () => {
    expect(entries['practice-client-credentials']?.credentials).toMatchObject({
      client_id: { example: PRACTICE_CLIENT.id },
      client_secret: { example: PRACTICE_CLIENT.secret, secret: true },
    });
  });
});
