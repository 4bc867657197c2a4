import { describe, expect, it } from 'vitest';
import { ImportProblem } from './imported-request.ts';
import { readRequests } from './read-requests.ts';

const BASE = 'https://api.acme.example/v1';
const read = (text: string, baseUrl: string | null = BASE) => readRequests(text, baseUrl);
const only = (text: string, baseUrl?: string | null) => read(text, baseUrl).requests[0]?.request;
const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';
const collection = (item: unknown[], more: object = {}): string =>
  JSON.stringify({ info: { name: 'Acme', schema: SCHEMA }, item, ...more });
const requestOf = (request: unknown) => only(collection([{ name: 'One', request }]));

describe('a cURL command', () => {
  it('becomes a request below the address of the integration', () => {
    expect(only(`curl ${BASE}/users?limit=10#top`)).toEqual({
      method: 'GET',
      endpoint: '/users?limit=10',
      headers: {},
    });
    expect(only('curl "https://api.acme.example/v2/users"')?.endpoint).toBe('/v2/users');
    expect(only('curl https://api.acme.example')?.endpoint).toBe('/');
    expect(only("curl -I 'api.acme.example/v1/users'")).toMatchObject({ method: 'HEAD', endpoint: '/v1/users' });
    expect(only('curl https://api.acme.example/v10', 'https://api.acme.example/v1')?.endpoint).toBe('/v10');
  });

  it('never decides where the credentials go, and brings none of its own', () => {
    const found = read(`curl https://evil.example/v1/users -H 'Authorization: Bearer abc' -u me:secret`);

    expect(found.requests[0]?.request).toEqual({ method: 'GET', endpoint: '/v1/users', headers: {} });
    expect(found.notes).toEqual([
      'The sign-in is left out: Homeport adds the credentials of the connection.',
      'The host evil.example is left out: requests go to the address of the integration.',
    ]);
    expect(JSON.stringify(found)).not.toMatch(/abc|secret/);
  });

  it('is read with the quotes, escapes and line ends of a shell', () => {
    const text = [
      String.raw`curl -XPOST '${BASE}/notes' \ `.trimEnd(),
      String.raw`  -H "X-Name: say \"hi\" \$5" --compressed -sSL \ `.trimEnd(),
      String.raw`  -H 'Content-Type: application/json' --data-raw $'{"a":"it\'s \u00fc\\n"}'`,
    ].join('\r\n');

    expect(only(text)).toEqual({
      method: 'POST',
      endpoint: '/notes',
      headers: { 'X-Name': 'say "hi" $5' },
      bodyType: 'json',
      body: '{"a":"it\'s ü\\n"}',
    });
  });

  it('takes data as a form, JSON or text, as curl sends it', () => {
    expect(only(`curl ${BASE}/a -d a=1 -d 'b=x+y%26z'`)).toEqual({
      ...{ method: 'POST', endpoint: '/a', headers: {}, bodyType: 'form' },
      fields: [
        { name: 'a', value: '1' },
        { name: 'b', value: 'x y&z' },
      ],
    });
    expect(only(`curl ${BASE}/a --json '{"id":12345678901234567890}'`)).toMatchObject({
      ...{ bodyType: 'json', body: '{"id":12345678901234567890}', headers: {} },
    });
    expect(only(`curl ${BASE}/a -d '{"a":1}'`)).toMatchObject({
      ...{ bodyType: 'text', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } },
    });
    expect(only(`curl -G ${BASE}/a --data-urlencode 'q=a & b' -d n=1`)).toEqual({
      ...{ method: 'GET', endpoint: '/a?q=a%20%26%20b&n=1', headers: {} },
    });
    expect(only(`curl ${BASE}/a -F name=x -F 'file=@/tmp/a b.png;type=image/png'`)).toMatchObject({
      bodyType: 'multipart',
      fields: [
        { name: 'name', value: 'x' },
        { name: 'file', file: { name: 'a b.png', type: 'image/png', base64: null } },
      ],
    });
  });

  it('turns variables of the shell into those of the environment', () => {
    expect(only(`curl "$HOST/users/\${USER_ID}" -H "X-Key: $KEY" -H 'X-Plain: $KEY'`)).toEqual({
      ...{ method: 'GET', endpoint: '/users/{{USER_ID}}' },
      headers: { 'X-Key': '{{KEY}}', 'X-Plain': '$KEY' },
    });
  });

  it('is one of several in a script', () => {
    const text = `#!/bin/sh\nexport A=1\ncurl ${BASE}/a | jq . > out.json\nA=1 curl -X DELETE ${BASE}/b 2>/dev/null && curl ${BASE}/c --next ${BASE}/d`;

    expect(read(text).requests.map(({ name }) => name)).toEqual([
      ...['GET /v1/a', 'DELETE /v1/b', 'GET /v1/c', 'GET /v1/d'],
    ]);
  });

  it.each([
    ['a quote that is not closed', `curl '${BASE}/a`, 'not closed'],
    ['an unknown option', `curl --nonsense ${BASE}/a`, '--nonsense is not known'],
    ['an unknown letter', `curl -W ${BASE}/a`, '-W is not known'],
    ['an option without its value', `curl ${BASE}/a -H`, 'needs a value'],
    ['a body in a file', `curl ${BASE}/a -d @body.json`, 'in the file body.json'],
    ['a command inside', `curl ${BASE}/$(id)`, 'contains another command'],
    ['no address', 'curl -X POST -d a=1', 'has no address'],
    ['a method that cannot be sent', `curl -X BREW ${BASE}/a`, 'BREW cannot be sent'],
    ['another text', 'SELECT 1', 'neither a cURL command nor a Postman collection'],
    ['another command', 'echo curl it', 'no curl command'],
  ])('with %s is refused with the reason', (_, text, reason) => {
    expect(() => read(text)).toThrow(ImportProblem);
    expect(() => read(text)).toThrow(reason);
  });
});

describe('a Postman collection', () => {
  it('becomes requests with the names of their folders, in their order', () => {
    const leaf = (name: string) => ({ name, request: { method: 'GET', url: `{{baseUrl}}/${name}` } });
    const found = read(
      collection([leaf('a'), { name: 'Users', item: [leaf('b'), { name: 'Old', item: [leaf('c')] }] }, leaf('d')], {
        auth: { type: 'bearer', bearer: [{ key: 'token', value: 'abc' }] },
        event: [],
        variable: [{ key: 'baseUrl', value: `${BASE}/` }],
      }),
    );

    expect(found.requests.map(({ name, request }) => [name, request.endpoint])).toEqual([
      ['a', '/a'],
      ['Users / b', '/b'],
      ['Users / Old / c', '/c'],
      ['d', '/d'],
    ]);
    expect(found.notes).toEqual(['The sign-in is left out: Homeport adds the credentials of the connection.']);
  });

  it('keeps what is enabled of parameters, path variables and headers', () => {
    const found = requestOf({
      method: 'put',
      url: {
        raw: `${BASE}/users/:id/:other?limit=10&q={{Q}}`,
        variable: [{ key: 'id', value: '17' }],
      },
      header: [
        { key: 'X-A', value: '1' },
        { key: 'x-a', value: '2' },
        { key: 'X-Off', value: '3', disabled: true },
        { key: 'authorization', value: 'Bearer abc' },
      ],
      body: { mode: 'raw', raw: '{"a":{{A}}}', options: { raw: { language: 'json' } } },
    });

    expect(found).toEqual({
      method: 'PUT',
      endpoint: '/users/17/:other?limit=10&q={{Q}}',
      headers: { 'X-A': '1, 2' },
      bodyType: 'json',
      body: '{"a":{{A}}}',
    });
    const parts = { host: ['api', 'acme', 'example'], path: ['v1', 'x'], query: [{ key: 'a', value: '1' }] };
    expect(requestOf({ url: parts })?.endpoint).toBe('/v1/x?a=1');
  });

  it('keeps each kind of body', () => {
    const post = (body: object) => requestOf({ method: 'POST', url: `${BASE}/a`, body });
    const fields = [
      { key: 'a', value: '1' },
      { key: 'off', value: '2', disabled: true },
    ];

    expect(post({ mode: 'urlencoded', urlencoded: fields })).toMatchObject({
      ...{ bodyType: 'form', fields: [{ name: 'a', value: '1' }] },
    });
    expect(
      post({ mode: 'formdata', formdata: [...fields, { key: 'f', type: 'file', src: 'C:\\tmp\\n.txt' }] }),
    ).toMatchObject({ bodyType: 'multipart', fields: [{ name: 'a' }, { name: 'f', file: { name: 'n.txt' } }] });
    expect(post({ mode: 'graphql', graphql: { query: '{ me }', variables: '{"a":1}' } })).toMatchObject({
      ...{ bodyType: 'json', body: '{"query":"{ me }","variables":{"a":1}}' },
    });
    expect(post({ mode: 'raw', raw: '<a/>', options: { raw: { language: 'xml' } } })).toMatchObject({
      ...{ bodyType: 'text', body: '<a/>', headers: { 'Content-Type': 'application/xml' } },
    });
    expect(
      read(collection([{ name: 'x', request: { method: 'POST', url: '/', body: { mode: 'file' } } }])).notes,
    ).toEqual(['A body that is a file is left out: choose it again in the request.']);
  });

  it.each([
    ['broken JSON', '{"info": ', 'not valid JSON'],
    ['another document', '{"openapi":"3.1.0"}', 'not a Postman collection'],
    ['a list', '[]', 'not a Postman collection'],
    ['version 1', '{"id":"1","requests":[]}', 'Collection v2.1'],
    ['an environment', '{"values":[],"_postman_variable_scope":"environment"}', 'Postman environment'],
    ['no requests', collection([{ name: 'empty', item: [] }]), 'has no requests'],
    ['an item of another kind', collection([{ name: 'what' }]), '“what” is neither'],
    [
      'a method that cannot be sent',
      collection([{ name: 'x', request: { method: 'BREW', url: '/' } }]),
      '“x”: requests',
    ],
    [
      'too many requests',
      collection(Array.from({ length: 501 }, () => ({ name: 'x', request: '/' }))),
      'more than 500',
    ],
  ])('with %s is refused with the reason', (_, text, reason) => {
    expect(() => read(text)).toThrow(ImportProblem);
    expect(() => read(text)).toThrow(reason);
  });
});

describe('a hostile text', () => {
  const fill = (part: string, size = 8_000_000): string => part.repeat(Math.floor(size / part.length));
  /** As much as is read of commands. */
  const most = (part: string): string => fill(part, 1_990_000);
  it.each([
    ['nested folders', `${fill('{"item":[')}`],
    ['folders that are closed, too', `{"info":{"schema":"${SCHEMA}"},"item":[${fill('{"item":[')}${fill(']}')}]}`],
    ['empty folders', `{"info":{"schema":"${SCHEMA}"},"item":[${fill('{"item":[]},')}{"item":[]}]}`],
    ['requests', `{"info":{"schema":"${SCHEMA}"},"item":[${fill('{"request":"/a"},')}{"request":"/a"}]}`],
    ['a long address', collection([{ name: 'x', request: fill('{{a}}/') }])],
    ['a long name', collection([{ name: fill('é'), request: '/' }])],
    ['words', `curl ${most('a ')}`],
    ['short options', `curl -${most('s')} ${BASE}`],
    ['quotes', `curl ${most(`"a"'b'`)}`],
    ['open quotes', `curl "${most('a\\')}`],
    ['escapes', `curl $'${most('\\x41')}'`],
    ['dollars', `curl ${most('$')}`],
    ['braces', `curl ${most('${')}`],
    ['line ends', `curl ${most('\\\n')}${BASE}`],
    ['commands', most(`curl ${BASE}/a\n`)],
    ['form fields', `curl ${BASE} -d ${most('a=1&')}`],
    ['ampersands', `curl ${most('&')}`],
    ['digits', fill('1')],
    ['8 MB of dollars', `curl ${fill('$')}`],
    ['curl without a space', most('curl')],
  ])('of %s ends within seconds', (_, text) => {
    const started = performance.now();
    try {
      read(text);
    } catch (error) {
      expect(error).toBeInstanceOf(ImportProblem);
    }
    expect(performance.now() - started).toBeLessThan(5000);
  });
});
