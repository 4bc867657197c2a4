import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { OutboundRequest, OutboundResponse } from '../../platform/lib/outbound-http.ts';
import { isDocumentAddress, readClientDocument } from './client-document.ts';

const ADDRESS = 'https://agent.test/client.json';
const METADATA = { client_id: ADDRESS, client_name: 'Agent', redirect_uris: ['http://127.0.0.1/cb'] };

function serving(status: number, body: string) {
  const asked: OutboundRequest[] = [];
  const request = async (sent: OutboundRequest): Promise<OutboundResponse> => {
    asked.push(sent);
    const url = new URL(ADDRESS);
    return { status, statusText: '', headers: {}, body: Readable.from([Buffer.from(body)]), url };
  };
  return { asked, http: { request } };
}

describe('the metadata document of a client', () => {
  it('is at an address with https and a path', () => {
    expect(isDocumentAddress(ADDRESS)).toBe(true);
    for (const text of ['http://agent.test/client.json', 'https://agent.test/', 'https://u@agent.test/x', 'abc'])
      expect([text, isDocumentAddress(text)]).toEqual([text, false]);
  });

  it('is read without redirects', async () => {
    const { asked, http } = serving(200, JSON.stringify({ ...METADATA, logo_uri: 'ignored' }));
    expect(await readClientDocument(http, ADDRESS)).toMatchObject({ client_name: 'Agent' });
    expect(asked[0]).toMatchObject({ method: 'GET', url: ADDRESS, maxRedirects: 0 });
  });

  it.each([
    ['another status', 302, '', 'status 302'],
    ['another client', 200, JSON.stringify({ ...METADATA, client_id: 'https://other.test/x' }), 'names another client'],
    ['no addresses', 200, JSON.stringify({ client_id: ADDRESS }), 'no metadata of a client'],
    ['no JSON', 200, '<html>', 'no metadata of a client'],
  ])('is refused with %s', async (_, status, body, said) => {
    await expect(readClientDocument(serving(status, body).http, ADDRESS)).rejects.toThrow(said);
  });
});
