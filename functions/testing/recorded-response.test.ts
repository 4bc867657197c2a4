import { describe, expect, it } from 'vitest';
import { recordedBody, recordedData } from './recorded-response.ts';

/** The value that the runtime reads from a body. */
const read = (body: string | Buffer): unknown => {
  try {
    return JSON.parse(String(body));
  } catch {
    return body;
  }
};

describe('a recorded answer', () => {
  it.each([[{ a: 1 }], [[1, 2]], ['plain text'], ['12'], ['true'], [12], [null], [false], ['']])(
    'of %j comes out of its body as it was recorded',
    (response) => {
      expect(read(recordedBody({ response }))).toEqual(response);
      expect(recordedData({ response })).toEqual(response);
    },
  );

  it('of bytes is bytes again', () => {
    const response = JSON.parse(JSON.stringify(Buffer.from([1, 2, 255]))) as unknown;

    expect(recordedBody({ response })).toEqual(Buffer.from([1, 2, 255]));
    expect(recordedData({ response })).toEqual(Buffer.from([1, 2, 255]));
  });
});
