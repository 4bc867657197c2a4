import { describe, expect, it } from 'vitest';
import { RequestTextError, readHttp } from './http-block.ts';

describe('an http block', () => {
  it('is a request line, headers and a body', () => {
    expect(readHttp('POST /connections?a=b\nConnection-Id: me\n\n{\n\n}\n')).toEqual({
      method: 'POST',
      path: '/connections?a=b',
      headers: { 'Connection-Id': 'me' },
      body: '{\n\n}',
    });
    expect(readHttp('GET /x\n').body).toBeUndefined();
  });

  it.each(['get /x', 'GET http://other/x', 'GET /x\nno header'])('refuses %j', (text) => {
    expect(() => readHttp(text)).toThrow(RequestTextError);
  });
});
