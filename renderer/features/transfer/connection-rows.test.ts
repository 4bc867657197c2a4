import { describe, expect, it } from 'vitest';
import { buildConnection, guessMapping, type ListedRow, readRows, sampleOf } from './connection-rows.ts';

const modes: Record<string, string> = { github: 'OAUTH2', stripe: 'API_KEY', shop: 'BASIC', odd: 'JWT' };
const options = { fixedIntegration: '', modeOf: (key: string) => modes[key] };
const CSV = `Integration ID,connection id,Access Token,API key,email,user_id,metadata
github,c1,tok,,ada@example.com,u1,"{""plan"":""pro""}"
stripe,c2,,sk,,,
missing,c3,x,,,,
github,c4,,,,,
github,c5,tok,,,,not json
`;

describe('a list of connections', () => {
  const rows = readRows('people.csv', CSV);
  const mapping = guessMapping(Object.keys(rows[0] ?? {}));

  it('recognises its columns', () => {
    expect(mapping).toEqual({
      integration: 'Integration ID',
      connectionId: 'connection id',
      accessToken: 'Access Token',
      apiKey: 'API key',
      metadata: 'metadata',
      userId: 'user_id',
      email: 'email',
    });
  });

  it('becomes bodies of the API, or sentences', () => {
    expect(rows.map((row) => buildConnection(row, mapping, options))).toEqual([
      {
        body: {
          provider_config_key: 'github',
          connection_id: 'c1',
          credentials: { type: 'OAUTH2', access_token: 'tok', no_expiration: true },
          metadata: { plan: 'pro' },
          end_user: { id: 'u1', email: 'ada@example.com' },
        },
      },
      { body: { provider_config_key: 'stripe', connection_id: 'c2', credentials: { type: 'API_KEY', api_key: 'sk' } } },
      { name: 'missing/c3', problem: 'there is no integration "missing"' },
      { name: 'github/c4', problem: 'has no access token' },
      { name: 'github/c5', problem: 'metadata is not a JSON object' },
    ]);
  });

  it('names a refused row by what it has', () => {
    const nameIn = (row: Record<string, string>) => {
      const built = buildConnection(row, guessMapping(Object.keys(row)), options);
      return 'problem' in built ? built.name : undefined;
    };

    expect(nameIn({ connection_id: 'c1', api_key: 'sk' })).toBe('(no integration)/c1');
    expect(nameIn({ integration: 'stripe', api_key: '' })).toBe('stripe/(a new ID)');
    expect(nameIn({ api_key: 'sk' })).toBe('');
  });

  it('says which entry of a JSON list is wrong, and what it is', () => {
    const read = (...list: unknown[]) => readRows('list.json', JSON.stringify(list));
    const wrong = (what: string) => `Entry 2 of the list is ${what}, not an object with the members of a connection.`;

    expect(() => read({ id: 'a' }, 'b')).toThrow(wrong('a text'));
    expect(() => read({ id: 'a' }, null)).toThrow(wrong('null'));
    expect(() => read({ id: 'a' }, [])).toThrow(wrong('a list'));
    expect(() => read({ id: 'a' }, 7)).toThrow(wrong('a number'));
    expect(() => readRows('list.json', '{"connections":[true]}')).toThrow('Entry 1 of the list is a boolean');
  });

  it('takes the e-mail of an end user without an ID as the ID', () => {
    const row = { integration: 'stripe', api_key: 'sk', email: 'ada@example.com' };

    expect(buildConnection(row, guessMapping(Object.keys(row)), options)).toMatchObject({
      body: { end_user: { id: 'ada@example.com', email: 'ada@example.com' } },
    });
  });

  it('names the end user, also without an ID', () => {
    const build = (row: ListedRow) => buildConnection(row, guessMapping(Object.keys(row)), options);

    expect(
      build({ integration: 'stripe', api_key: 'sk', user_id: 'u1', display_name: 'Kestrel Health' }),
    ).toMatchObject({ body: { end_user: { id: 'u1', display_name: 'Kestrel Health' } } });
    const named = build({ integration: 'stripe', api_key: 'sk', 'Display Name': 'Kestrel Health' });
    expect(named).toMatchObject({ body: { tags: { end_user_display_name: 'Kestrel Health' } } });
    expect(named).not.toHaveProperty('body.end_user');
    const endUser = { id: 'u1', email: 'ada@example.com', display_name: 'Kestrel Health' };
    expect(build({ integration: 'stripe', api_key: 'sk', end_user: endUser })).toMatchObject({
      body: { end_user: endUser },
    });
  });

  it('is refused with every reason at once', () => {
    const row = { integration: 'stripe', connection_id: 'c1', api_key: '', email: 'x', tags: 'none' };

    expect(buildConnection(row, guessMapping(Object.keys(row)), options)).toEqual({
      name: 'stripe/c1',
      problem: 'tags is not a JSON object; has no API key; "x" is not an e-mail address',
    });
  });

  it('shows the first value of a column, cut where it is long', () => {
    const list = [{ a: '' }, { a: null }, { a: { b: 1 } }, { a: 'later', c: 'x'.repeat(60) }];

    expect(sampleOf(list, 'a')).toBe('{"b":1}');
    expect(sampleOf(list, 'c')).toBe(`${'x'.repeat(40)}…`);
    expect(sampleOf(list, 'd')).toBe('');
  });

  it('may be JSON, with credentials as objects', () => {
    const [row = {}] = readRows(
      'dump.json',
      '{"connections":[{"provider_config_key":"odd","connection_id":"1","credentials":{"token":"t"}}]}',
    );

    expect(buildConnection(row, guessMapping(Object.keys(row)), options)).toEqual({
      body: { provider_config_key: 'odd', connection_id: '1', credentials: { type: 'JWT', token: 't' } },
    });
    expect(() => readRows('dump.json', '{"a":1}')).toThrow('no list');
  });
});
