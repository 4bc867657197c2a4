import { describe, expect, it } from 'vitest';
import { describeFailure } from './describe-failure.ts';

describe('the report of a failed run', () => {
  it.each([
    ['{"error":{"code":"gone"}}', { error: { code: 'gone' } }],
    ['<h1>Gone</h1>', '<h1>Gone</h1>'],
    [new Uint8Array(3), '[3 bytes]'],
  ])('holds the response of the provider, as JSON if it is JSON: %s', (body, shown) => {
    const report = describeFailure({
      kind: 'thrown',
      error: {
        name: 'AxiosError',
        message: 'Request failed with status code 410',
        response: { status: 410, statusText: 'Gone', headers: {}, body },
      },
    });

    expect(report).toEqual({
      code: 'script_http_error',
      message: 'Request failed with status code 410',
      payload: { status: 410, body: shown },
    });
  });
});
