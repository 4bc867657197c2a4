import { describe, expect, it } from 'vitest';
import { looksLikeId, pathOfAddress } from './pasted-address.ts';

const here = { env: 'dev', environments: ['dev', 'prod'] };
const pathOf = (text: string) => pathOfAddress(text, here);

describe('pathOfAddress', () => {
  it('takes addresses of this dashboard and links of the desktop', () => {
    expect(pathOf('http://127.0.0.1:3003/app/prod/logs?operationId=1')).toBe('/prod/logs?operationId=1');
    expect(pathOf('homeport://open/dev/connections/crm/a%2Fb')).toBe('/dev/connections/crm/a%2Fb');
    expect(pathOf(' http://localhost:3003/app/prod ')).toBe('/prod');
  });

  it('takes addresses of a server that is laid out alike, under the names that screens have here', () => {
    expect(pathOf('https://hub.test/prod/connections/crm/7#auth')).toBe('/prod/connections/crm/7#auth');
    expect(pathOf('https://hub.test/staging/activity?a=1')).toBe('/dev/logs?a=1');
    expect(pathOf('https://hub.test/dev/integration/crm')).toBe('/dev/integrations/crm');
    expect(pathOf('https://hub.test/dev/project-settings')).toBe('/dev/environment-settings');
  });

  it('leaves everything else alone', () => {
    for (const text of ['https://hub.test/', 'https://hub.test/a/b', 'connections', 'javascript:alert(1)', 'http://'])
      expect(pathOf(text), text).toBeUndefined();
  });
});

describe('looksLikeId', () => {
  it('tells ids from words', () => {
    expect(['op-4', '3f2504e0-4f89-41d3-9a0c-0305e82c3301', 'rec_12', 'gid://shop/Order/12'].every(looksLikeId)).toBe(
      true,
    );
    expect(['cobalt', 'run 3', 'ab'].some(looksLikeId)).toBe(false);
  });
});
