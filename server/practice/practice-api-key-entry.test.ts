import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { checkEntry } from '../integrations/catalog/check-entry.ts';
import { apiKeyEntry, PRACTICE_DEMO_KEY } from './practice-entries.ts';
import { createPracticeProvider } from './practice-provider.ts';

interface Entry {
  docs: string;
  proxy: {
    base_url: string;
    headers: { authorization: string };
    paginate: Record<string, string>;
    retry: { after: string };
    verification: { endpoints: string[] };
  };
  credentials: { apiKey: { pattern: string } };
}

const provider = createPracticeProvider({ clock: new FakeClock() });
let entry: Entry;
let authorization: string;

beforeAll(async () => {
  entry = apiKeyEntry((await provider.start()).address) as unknown as Entry;
  authorization = entry.proxy.headers.authorization.replace(/\$\{apiKey\}/, PRACTICE_DEMO_KEY);
});
afterAll(() => provider.stop());

describe('apiKeyEntry', () => {
  it('is a sound entry of the catalogue', () => {
    // The rules of built-in entries do not apply: the practice provider uses plain http on this computer.
    expect(checkEntry(entry, { isBuiltin: false })).toHaveProperty('definition');
  });

  it('names a verification that passes with the demo key and fails without', async () => {
    const url = entry.proxy.base_url + entry.proxy.verification.endpoints[0];

    expect((await fetch(url, { headers: { authorization } })).status).toBe(200);
    expect((await fetch(url)).status).toBe(401);
  });

  it('names paging members that the provider has', async () => {
    const { paginate, base_url } = entry.proxy;
    const url = `${base_url}/v1/issues?${paginate['limit_name_in_request']}=${paginate['limit']}`;

    const page = (await (await fetch(url, { headers: { authorization } })).json()) as Record<string, unknown>;

    expect(page[paginate['response_path'] ?? '']).toHaveLength(50);
    expect(page[paginate['cursor_path_in_response'] ?? '']).toEqual(expect.any(String));
  });

  it('names the header that says when to try again', async () => {
    const response = await fetch(`${entry.proxy.base_url}/v1/me?practice_fail=429`, { headers: { authorization } });

    expect(response.headers.get(entry.proxy.retry.after)).toBe('1');
  });

  it('accepts the demo key in its form and opens its documentation to everybody', async () => {
    expect(PRACTICE_DEMO_KEY).toMatch(new RegExp(entry.credentials.apiKey.pattern));
    expect((await fetch(entry.docs)).status).toBe(200);
  });
});
