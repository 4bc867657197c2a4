import { describe, expect, it } from 'vitest';
import { Cassette } from './cassette.ts';
import type { FixtureEntry } from './fixture-file.ts';
import { identifyRequest, type RequestParts } from './request-identity.ts';

const call = (further: Partial<RequestParts> = {}): RequestParts => ({ method: 'GET', endpoint: '/v1/a', ...further });
const cassetteOf = (entries: FixtureEntry | FixtureEntry[], path = '/v1/a') =>
  new Cassette({ get: { [path]: entries } });
const responses = (cassette: Cassette, ...calls: RequestParts[]) => calls.map((one) => cassette.find(one).response);

describe('a cassette', () => {
  it('prefers the same hash to a request that fits', () => {
    const { hash } = identifyRequest(call({ data: 'b', method: 'get' }));
    const cassette = cassetteOf([
      { response: 'fits', request: { params: {}, headers: {} } },
      { response: 'same', hash },
    ]);

    expect(responses(cassette, call({ data: 'b' }))).toEqual(['same']);
  });

  it('gives answers to the same question in the order of their recording, the last one from then on', () => {
    const { hash } = identifyRequest(call());
    const cassette = cassetteOf([
      { response: 'pending', hash },
      { response: 'done', hash },
    ]);

    expect(responses(cassette, call(), call(), call())).toEqual(['pending', 'done', 'done']);
  });

  it('compares params as text, in number and value', () => {
    const cassette = cassetteOf([{ response: 1, request: { params: { page: 2 }, headers: {} } }]);

    expect(responses(cassette, call({ params: { page: '2' } }))).toEqual([1]);
    expect(() => cassette.find(call({ params: { page: 3 } }))).toThrow('No mock found for GET v1/a');
    expect(() => cassette.find(call({ params: { page: 2, more: 1 } }))).toThrow('No mock found for GET');
    expect(() => cassette.find(call())).toThrow('No mock found for GET');
  });

  it('compares headers whatever their case', () => {
    const cassette = cassetteOf([{ response: 1, request: { params: {}, headers: { 'Notion-Version': '1' } } }]);

    expect(responses(cassette, call({ headers: { 'notion-version': '1' } }))).toEqual([1]);
    expect(() => cassette.find(call({ headers: { 'notion-version': '2' } }))).toThrow('No mock found');
    expect(() => cassette.find(call())).toThrow('No mock found');
  });

  it('compares a body only when one was recorded', () => {
    const cassette = new Cassette({
      post: {
        'v1/a': [
          { response: 'x', request: { params: {}, headers: {}, data: { name: 'x' } } },
          { response: 'any', request: { params: {}, headers: {} } },
        ],
      },
    });
    const post = (data: unknown): RequestParts => call({ method: 'POST', data });

    expect(responses(cassette, post('{"name":"x"}'), post({ name: 'x' }), post('other'))).toEqual(['x', 'x', 'any']);
  });

  it('knows a form that was recorded as the object it was written as', () => {
    const cassette = new Cassette({
      post: { '/v1/a': { response: 1, request: { params: {}, headers: {}, data: { a: 1, b: ['x', 'y'] } } } },
    });

    expect(responses(cassette, call({ method: 'POST', data: 'a=1&b%5B%5D=x&b%5B%5D=y' }))).toEqual([1]);
    expect(() => cassette.find(call({ method: 'POST', data: 'a=2' }))).toThrow('No mock found');
  });

  it('knows a form that was recorded as the text it was sent as', () => {
    const cassette = new Cassette({
      post: { '/v1/a': { response: 1, request: { params: {}, headers: {}, data: 'a=1&b%5Bc%5D=x+y' } } },
    });

    expect(responses(cassette, call({ method: 'POST', data: { a: 1, b: { c: 'x y' } } }))).toEqual([1]);
    expect(() => cassette.find(call({ method: 'POST', data: { a: 2 } }))).toThrow('No mock found');
  });

  it('ignores the recorded body of a GET, which is sent without one', () => {
    const cassette = cassetteOf([
      { response: 1, request: { params: {}, headers: {}, data: { q: 1 } } },
      { response: 2 },
    ]);

    expect(responses(cassette, call())).toEqual([1]);
  });

  it('uses the only answer of a path for a call without params, as in old recordings', () => {
    expect(responses(cassetteOf({ response: 1 }), call())).toEqual([1]);
    expect(() => cassetteOf({ response: 1 }).find(call({ params: { a: 1 } }))).toThrow('No mock found');
    expect(() => cassetteOf([{ response: 1 }, { response: 2 }]).find(call())).toThrow('No mock found');
  });

  it('reports the request and the recorded ones', () => {
    expect(() => cassetteOf([], '/v1/b').find(call())).toThrow('No mock found for GET v1/a: nothing was recorded');
    expect(() => cassetteOf([{ response: 1, request: {} }]).find(call({ params: { q: 'x' } }))).toThrow(
      '1 recorded for this path, none with {"params":{"q":"x"}',
    );
  });
});
