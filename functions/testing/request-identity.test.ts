import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { identifyData, identifyRequest } from './request-identity.ts';

const sha1 = (text: string): string => createHash('sha1').update(text).digest('hex');

describe('the identity of a request', () => {
  it('is the SHA-1 of method, path, params, headers and data, in that order', () => {
    const { hash, ...parts } = identifyRequest({
      method: 'POST',
      endpoint: '/v1/things?b=2',
      params: { a: 1 },
      headers: { 'X-Version': '3' },
      data: { name: 'x' },
    });

    expect(parts).toEqual({
      method: 'post',
      endpoint: 'v1/things',
      params: [
        ['a', '1'],
        ['b', '2'],
      ],
      headers: [['X-Version', '3']],
      data: '{"name":"x"}',
    });
    expect(hash).toBe(sha1(JSON.stringify(parts)));
  });

  it.each([
    ['/v1/a', 'v1/a'],
    ['v1/a', 'v1/a'],
    ['https://api.example.com/v1/a', 'v1/a'],
    ['/proxy/v1/a', 'v1/a'],
    ['//v1/a', 'v1/a'],
  ])('takes only the path of %s', (endpoint, expected) => {
    expect(identifyRequest({ method: 'get', endpoint }).endpoint).toBe(expected);
  });

  it('reads params as text, as URLSearchParams and as an object alike', () => {
    const hashes = [
      identifyRequest({ method: 'get', endpoint: '/a?x=1&y=2' }),
      identifyRequest({ method: 'get', endpoint: '/a', params: 'y=2&x=1' }),
      identifyRequest({ method: 'get', endpoint: '/a', params: new URLSearchParams({ y: '2', x: '1' }) }),
      identifyRequest({ method: 'get', endpoint: '/a?x=9', params: { x: 1, y: '2', z: undefined } }),
    ].map(({ hash }) => hash);

    expect(new Set(hashes).size).toBe(1);
  });

  it('joins lists with commas', () => {
    expect(identifyRequest({ method: 'get', endpoint: '/a', params: { ids: [1, 2] } }).params).toEqual([
      ['ids', '1,2'],
    ]);
  });

  it('leaves out headers that steer the hub or change from run to run', () => {
    const { headers } = identifyRequest({
      method: 'get',
      endpoint: '/a',
      headers: {
        Authorization: 'Bearer x',
        'nango-proxy-user-agent': 'y',
        'nango-proxy-notion-version': '2022',
        'Notion-Version': '2023',
        retries: '3',
        'content-type': 'application/json',
        accept: '*/*',
      },
    });

    expect(headers).toEqual([['notion-version', '2022']]);
  });

  it.each([
    ['application/json', []],
    ['application/x-www-form-urlencoded; charset=utf-8', []],
    ['text/xml', [['content-type', 'text/xml']]],
  ])('counts the content type %s when it says something', (type, expected) => {
    expect(identifyRequest({ method: 'post', endpoint: '/a', headers: { 'content-type': type } }).headers).toEqual(
      expected,
    );
  });
});

describe('the identity of a body', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    [0, undefined],
    ['text', 'text'],
    [Buffer.from('bytes'), Buffer.from('bytes').toString('base64')],
    [[1, { a: 2 }], '[1,{"a":2}]'],
  ])('of %j is %j', (data, expected) => {
    expect(identifyData(data)).toBe(expected);
  });

  it('is a hash when it is long', () => {
    expect(identifyData('x'.repeat(1000))).toBe('x'.repeat(1000));
    expect(identifyData('x'.repeat(1001))).toBe(`sha1:${sha1('x'.repeat(1001))}`);
  });
});
