import { describe, expect, it } from 'vitest';
import { requestUrl } from './request.ts';

describe('requestUrl', () => {
  it('encodes odd connection ids', () => {
    const url = requestUrl('/api/v1/connections/:integrationKey/:connectionId', {
      params: { integrationKey: 'my key', connectionId: 'a/b c@d%' },
    });

    expect(url).toBe('/api/v1/connections/my%20key/a%2Fb%20c%40d%25');
  });

  it('leaves empty members out of the query', () => {
    const url = requestUrl('/x', { query: { env: 'dev', search: '', sort: undefined, offset: 0 } });

    expect(url).toBe('/x?env=dev&offset=0');
  });
});
