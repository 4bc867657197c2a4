import { describe, expect, it } from 'vitest';
import { buildCatalog } from './build-catalog.ts';
import { signInWays, WAYS_IN, waysIn, worksWithoutApp } from './ways-in.contract.ts';

const entries = await buildCatalog();

describe('the ways to connect', () => {
  it.each([...entries].map(([name, entry]) => ({ name, entry })))('are known of $name', ({ name, entry }) => {
    const ways = waysIn(entry);

    expect(ways.length).toBeGreaterThan(0);
    expect(ways).toEqual(WAYS_IN.filter((way) => ways.includes(way)));
    const isClaim = entry.device_authorization_url !== undefined || entry.public_client !== undefined;
    // A claim about a provider names where the provider says so.
    expect([name, (entry.ways_in_docs ?? []).length > 0]).toEqual([name, isClaim]);
    // A page at the provider needs a client there, so an OAuth entry works at once only if the hub registers itself.
    if (entry.auth_mode === 'OAUTH2') expect(worksWithoutApp(entry)).toBe(entry.registration_url !== undefined);
  });

  it.each([
    ['stripe', ['own_app']],
    ['github', ['device_authorization', 'own_app']],
    ['gitlab', ['device_authorization', 'public_client', 'own_app']],
    ['outlook', ['device_authorization', 'public_client', 'own_app']],
    ['google-drive', ['device_authorization', 'own_app']],
    // Of Google's scopes only a few can be asked for with a code.
    ['google-mail', ['own_app']],
    ['twitch', ['device_authorization', 'own_app']],
    ['okta', ['device_authorization', 'public_client', 'own_app']],
    ['spotify', ['public_client', 'own_app']],
    ['granola-mcp', ['dynamic_registration']],
    ['mcp-generic', ['dynamic_registration', 'client_metadata_document']],
    ['openai', ['key']],
  ])('of %s are %s', (name, ways) => {
    const entry = entries.get(name);
    expect(entry && waysIn(entry)).toEqual(ways);
  });

  it('puts the page before the code where the client can use both', () => {
    const entry = {
      auth_mode: 'OAUTH2',
      authorization_url: 'https://a.test',
      device_authorization_url: 'https://b.test',
    };

    expect(signInWays(entry, { hasSecret: true })).toEqual(['redirect', 'code']);
    expect(signInWays(entry, { hasSecret: false })).toEqual(['code']);
    expect(signInWays({ ...entry, public_client: true }, { hasSecret: false })).toEqual(['redirect', 'code']);
    expect(
      signInWays({ auth_mode: 'OAUTH2', authorization_url: 'https://a.test' }, { hasSecret: true }),
    ).toBeUndefined();
  });
});
