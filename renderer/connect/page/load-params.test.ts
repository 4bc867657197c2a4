import { describe, expect, it } from 'vitest';
import { readLoadParams, withoutToken } from './load-params.ts';

const PAGE = 'http://localhost:3003/connect/';

describe('readLoadParams', () => {
  it('takes the page’s own origin for the API, and the system for the theme', () => {
    expect(readLoadParams(PAGE)).toEqual({
      apiUrl: 'http://localhost:3003',
      token: undefined,
      theme: undefined,
      lang: null,
      detectsClosed: false,
      isEmbedded: false,
      isPreview: false,
    });
  });

  it('reads every parameter', () => {
    const query =
      '?apiURL=http%3A%2F%2F127.0.0.1%3A3003%2Fbase%2F&theme=dark&lang=ja&detectClosedAuthWindow=true&embedded=true' +
      '&preview=true&session_token=abc';

    expect(readLoadParams(PAGE + query)).toEqual({
      apiUrl: 'http://127.0.0.1:3003/base',
      token: 'abc',
      theme: 'dark',
      lang: 'ja',
      detectsClosed: true,
      isEmbedded: true,
      isPreview: true,
    });
  });

  it('refuses an invalid address and an unknown theme', () => {
    const { apiUrl, theme } = readLoadParams(`${PAGE}?apiURL=javascript:alert(1)&theme=pink`);

    expect([apiUrl, theme]).toEqual([undefined, undefined]);
  });
});

describe('withoutToken', () => {
  it('keeps the rest of the address', () => {
    expect(withoutToken(`${PAGE}?lang=de&session_token=abc#x`)).toBe(`${PAGE}?lang=de#x`);
    expect(withoutToken(`${PAGE}?lang=de`)).toBeUndefined();
  });
});
