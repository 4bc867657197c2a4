import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { callProvider } from './call-provider.ts';

type Parameter = Parameters<typeof callProvider>;

/** What a model sees of an answer. */
function answerOf(body: string | Buffer, contentType: string) {
  const headers = { 'content-type': contentType, 'set-cookie': 'session=secret' };
  const call = async () => ({ status: 200, headers, body: Readable.from([Buffer.from(body)]) });
  const proxy = { call, networkFailure: () => undefined } as unknown as Parameter[0];
  const request = { integration: 'notes', method: 'GET', path: '/x' } as const;
  const context = { environment: { id: 1 }, integration: { uniqueKey: 'notes' }, connection: { connectionId: 'me' } };
  return callProvider(proxy, { request, context, signal: new AbortController().signal } as unknown as Parameter[1]);
}

it('keeps JSON as it came, and leaves cookies out', async () => {
  const answer = await answerOf('{"n":12345678901234567890}', 'application/json; charset=utf-8');

  expect(answer.json).toBe('{"n":12345678901234567890}');
  expect(answer.headers).toEqual({ 'content-type': 'application/json; charset=utf-8' });
});

it.each([
  ['text', 'hello', 'text/plain', 'hello'],
  ['text that only says it is JSON', '<html>', 'application/json', '<html>'],
  ['bytes in base64', Buffer.from([0xff, 0xfe, 0x00]), 'application/octet-stream', '//4A'],
])('shows %s', async (_, body, type, shown) => {
  expect(await answerOf(body, type)).toMatchObject({ body: shown, json: undefined });
});
