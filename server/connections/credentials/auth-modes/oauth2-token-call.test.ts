import { describe, expect, it } from 'vitest';
import type { ProviderEntry } from '../../../integrations/catalog/entry-schema.ts';
import { authenticateClient, type TokenCall, toTokenRequest } from './token-endpoint.ts';

const ACME: ProviderEntry = { name: 'acme', source: 'builtin', display_name: 'Acme', auth_mode: 'OAUTH2' };
const CALL: TokenCall = {
  method: 'POST',
  url: 'https://acme.test/token',
  query: {},
  params: { code: 'c' },
  headers: {},
  format: 'form',
};
/** Contains characters that form encoding changes. */
const ODD = { id: 'id with/ü', secret: 's:e+c&r=e%t' };

const decode = (header = ''): string => Buffer.from(header.replace(/^Basic /, ''), 'base64').toString();

describe('naming the client', () => {
  it('puts it into the body by default', () => {
    expect(authenticateClient(CALL, ACME, ODD)).toEqual({
      ...CALL,
      params: { code: 'c', client_id: ODD.id, client_secret: ODD.secret },
    });
  });

  it('has no secret to send for a public client', () => {
    expect(authenticateClient(CALL, ACME, { id: 'public', secret: undefined }).params).toEqual({
      code: 'c',
      client_id: 'public',
    });
  });

  it('puts it form-encoded into the header alone with authorization_method: header', () => {
    const { headers, params } = authenticateClient(CALL, { ...ACME, authorization_method: 'header' }, ODD);

    expect(decode(headers['authorization'])).toBe('id+with%2F%C3%BC:s%3Ae%2Bc%26r%3De%25t');
    expect(params).toEqual({ code: 'c' });
  });

  it('puts it raw into the header and into the body with token_request_auth_method: basic', () => {
    const { headers, params } = authenticateClient(CALL, { ...ACME, token_request_auth_method: 'basic' }, ODD);

    expect(decode(headers['authorization'])).toBe(`${ODD.id}:${ODD.secret}`);
    expect(params).toEqual({ code: 'c', client_id: ODD.id, client_secret: ODD.secret });
  });
});

describe('writing a token request', () => {
  it('sends a form by default', () => {
    expect(toTokenRequest({ ...CALL, params: { a: 'b c&d', e: '' } })).toEqual({
      method: 'POST',
      url: 'https://acme.test/token',
      headers: {
        accept: 'application/json',
        'user-agent': 'Homeport',
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'a=b+c%26d&e=',
    });
  });

  it('sends JSON where the entry asks for it', () => {
    const { body, headers } = toTokenRequest({ ...CALL, format: 'json' });

    expect([body, headers?.['content-type']]).toEqual(['{"code":"c"}', 'application/json']);
  });

  it('keeps the query of the address and adds to it', () => {
    const url = 'https://acme.test/token?subscription-key=k%2F1';

    expect(toTokenRequest({ ...CALL, url }).url).toBe(url);
    expect(toTokenRequest({ ...CALL, url, query: { a: 'b&c' } }).url).toBe(`${url}&a=b%26c`);
  });

  it('has no body with GET', () => {
    expect(toTokenRequest({ ...CALL, method: 'GET' })).toEqual({
      method: 'GET',
      url: 'https://acme.test/token?code=c',
      headers: { accept: 'application/json', 'user-agent': 'Homeport' },
    });
  });
});
