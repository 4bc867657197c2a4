import { describe, expect, it } from 'vitest';
import { playgroundRequest } from '../dashboard-playground.contract.ts';
import { fillVariables } from './fill-variables.ts';

const VARIABLES = [
  { name: 'USER', value: 'ann/1 & co', isPlain: true },
  { name: 'TOKEN', value: 's3cret "quoted"\n', isPlain: false },
  { name: 'COUNT', value: '12345678901234567890', isPlain: true },
  { name: 'with space', value: 'x', isPlain: false },
];

function fill(more: object) {
  const request = playgroundRequest.parse({
    kind: 'proxy',
    integrationKey: 'practice',
    connectionId: 'c',
    method: 'POST',
    endpoint: '/v1/echo',
    ...more,
  });
  if (request.kind !== 'proxy') throw new Error('It is an API call.');
  return fillVariables(request, VARIABLES);
}

describe('fillVariables', () => {
  it('encodes values for their place in the address', () => {
    const { request } = fill({ endpoint: '/v1/{{USER}}/x?q={{ USER }}&n={{COUNT}}' });

    expect(request.endpoint).toBe('/v1/ann/1%20%26%20co/x?q=ann%2F1%20%26%20co&n=12345678901234567890');
  });

  it('fills names and values of headers and fields', () => {
    const { request } = fill({
      headers: { 'X-{{with space}}': 'by {{USER}}' },
      bodyType: 'form',
      fields: [{ name: 'f{{COUNT}}', value: '{{USER}}{{USER}}' }],
    });

    expect(request.headers).toEqual({ 'X-x': 'by ann/1 & co' });
    expect(request.fields).toEqual([{ name: 'f12345678901234567890', value: 'ann/1 & coann/1 & co' }]);
  });

  it('writes values into JSON so that it stays JSON', () => {
    const { request } = fill({ body: '{"a\\"": "x {{TOKEN}}", "n": {{COUNT}}, "b": {"c": {}}}' });

    expect(request.body).toBe('{"a\\"": "x s3cret \\"quoted\\"\\n", "n": 12345678901234567890, "b": {"c": {}}}');
  });

  it('writes values into other texts as they are', () => {
    const xml = fill({ body: '<a b="{{TOKEN}}"/>', headers: { 'content-type': 'text/xml' } });
    const text = fill({ bodyType: 'text', body: '"{{TOKEN}}"' });

    expect([xml.request.body, text.request.body]).toEqual(['<a b="s3cret "quoted"\n"/>', '"s3cret "quoted"\n"']);
  });

  it('names the secret values that it used, and no others', () => {
    expect(fill({ body: '"{{TOKEN}} {{USER}}"' }).secrets).toEqual(['s3cret "quoted"\n']);
    expect(fill({}).secrets).toEqual([]);
  });

  it('names every variable that is not there', () => {
    expect(() => fill({ endpoint: '/{{NO}}', headers: { a: '{{USER}} {{Neither}}' } })).toThrow(
      /no variables "NO", "Neither"/,
    );
  });

  it('sends braces as they are after a backslash, and what is no reference', () => {
    const { request } = fill({ bodyType: 'text', body: '\\{{NO}} {{}} {{ }} {NO} {{\n}}' });

    expect(request.body).toBe('{{NO}} {{}} {{ }} {NO} {{\n}}');
  });

  it('does not fill what a value brings in', () => {
    const request = playgroundRequest.parse({
      ...{ kind: 'proxy', integrationKey: 'p', connectionId: 'c', method: 'POST', bodyType: 'text' },
      ...{ endpoint: '/x', body: '{{A}}' },
    });
    if (request.kind !== 'proxy') throw new Error('It is an API call.');

    expect(fillVariables(request, [{ name: 'A', value: '{{A}}' }]).request.body).toBe('{{A}}');
  });

  it('takes a time that grows with the text only', () => {
    for (const part of ['{{', '\\{{', '{{a', '"\\', '{{USER}}']) {
      const body = part.repeat(Math.ceil(900_000 / part.length / 8));
      const startedAt = performance.now();
      fill({ body });
      expect(performance.now() - startedAt).toBeLessThan(2000);
    }
  });
});
