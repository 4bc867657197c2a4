import { describe, expect, it } from 'vitest';
import type { RunFailure, WireError } from '../../../functions/runtime/bridge.ts';
import { toFinalState, toRunError } from './run-failure.ts';

function reported(failure: RunFailure): Record<string, unknown> {
  const { code, status, payload, body, members, silent } = toRunError(failure, 'ask', 'script_internal_error');
  return { code, status, payload, body, members, silent };
}

const thrown = (error: Partial<WireError>): RunFailure => ({
  kind: 'thrown',
  error: { name: 'Error', message: '', ...error },
});
const answered = (body: string | Uint8Array, type?: string): RunFailure =>
  thrown({
    isAxiosError: true,
    response: {
      status: 404,
      statusText: '',
      headers: { 'x-rate-left': '1', link: 'x', ...(type === undefined ? {} : { 'content-type': type }) },
      body,
    },
  });

describe('the description of a failed run', () => {
  it.each([
    ['timeout', { kind: 'timeout' }, 'startedToCompletedTimeoutSecs_exceeded'],
    ['wait for a slot', { kind: 'not_started' }, 'createdToStartedTimeoutSecs_exceeded'],
    ['lost worker', { kind: 'worker_lost', detail: 'SIGKILL' }, 'heartbeatTimeoutSecs_exceeded'],
  ] as Array<[string, RunFailure, string]>)('names the limit of a %s', (_what, failure, reason) => {
    expect(reported(failure)).toMatchObject({
      code: 'action_script_failure',
      status: 500,
      payload: { error: expect.stringContaining('ask'), payload: { reason } },
    });
  });

  it.each([
    ['timeout', 'timeout'],
    ['not_started', 'timeout'],
    ['aborted', 'cancelled'],
    ['memory', 'failed'],
  ] as const)('is closed in the log after %s as %s', (kind, state) => {
    expect(toFinalState({ kind })).toBe(state);
  });

  it('says that a run was cancelled', () => {
    expect(reported({ kind: 'aborted' })).toMatchObject({
      code: 'action_script_failure',
      status: 500,
      payload: { error: expect.any(String) },
    });
  });

  it.each([
    [{ kind: 'memory' }, 'function_runtime_out_of_memory', 500],
    [{ kind: 'output_too_large', bytes: 11_000_000 }, 'script_output_too_large', 400],
    [thrown({ code: 'execution_timeout' }), 'execution_timeout', 500],
    [thrown({ code: 'script_aborted' }), 'script_aborted', 500],
  ] as Array<[RunFailure, string, number]>)('gives %j the code %s without further detail', (failure, code, status) => {
    expect(reported(failure)).toMatchObject({ code, status, payload: {} });
  });

  it('distinguishes a request without an answer from one that could not be built', () => {
    expect(reported(thrown({ isAxiosError: true, code: 'ECONNREFUSED' }))).toMatchObject({
      code: 'script_network_error',
      status: 500,
    });
    expect(reported(thrown({ isAxiosError: true, code: 'unsupported_provider' }))).toMatchObject({
      code: 'script_internal_error',
      status: 500,
    });
  });

  it('carries the answer of the provider as an object, with its rate headers only', () => {
    const upstream = (payload: unknown): unknown => ({
      upstream: { status: 404, headers: { 'x-rate-left': '1' }, body: payload },
    });

    expect(reported(answered('{"payload":[1]}'))).toEqual({
      code: 'script_http_error',
      status: 424,
      payload: { message: [1] },
      body: undefined,
      members: upstream({ message: [1] }),
      silent: true,
    });
    expect(reported(answered(''))['payload']).toEqual({ message: '' });
    expect(reported(answered('null'))['payload']).toEqual({ message: null });
    expect(reported(answered(new Uint8Array(3)))['payload']).toEqual({ message: '[3 bytes]' });
    const bytes = new TextEncoder().encode('{"reason":"ä"}');
    expect(reported(answered(bytes, 'application/problem+json'))['payload']).toEqual({ reason: 'ä' });
  });

  it('keeps at most ten lines of a stack, the title first', () => {
    const stack = Array.from({ length: 20 }, (_, line) => `    at f (ask-acme.cjs:${line})`).join('\n');

    const { stacktrace } = reported(thrown({ name: 'RangeError', message: 'one\ntwo', stack }))['payload'] as {
      stacktrace: string[];
    };

    expect(stacktrace).toHaveLength(10);
    expect(stacktrace.slice(0, 2)).toEqual(['RangeError: one', '    at f (ask-acme.cjs:0)']);
  });

  it.each([
    [
      'an ActionError',
      thrown({ type: 'action_script_runtime_error', payload: { why: 'a', text: 'ä'.repeat(90_000) } }),
    ],
    ['an answer', answered(JSON.stringify({ why: 'a', text: 'x'.repeat(200_000), more: 'y'.repeat(98_000) }))],
    ['a plain answer', answered('x'.repeat(200_000))],
    ['an Error', thrown({ name: 'Error', message: 'x'.repeat(2_000_000), stack: '    at f (a.ts:1:1)' })],
  ])('keeps the payload of %s under 99,000 bytes, and what is small in it', (_what, failure) => {
    const error = toRunError(failure, 'ask', 'script_internal_error');
    const payload = error.payload as Record<string, unknown>;

    expect(Buffer.byteLength(JSON.stringify(payload))).toBeLessThanOrEqual(99_000);
    expect(Buffer.byteLength(JSON.stringify(payload))).toBeGreaterThan(500);
    expect(Buffer.byteLength(error.message)).toBeLessThanOrEqual(99_000);
    expect(JSON.stringify(payload)).toContain('truncated');
    if ('text' in payload) expect(payload['why']).toBe('a');
    if ('stacktrace' in payload) expect(payload['stacktrace']).toContain('    at f (a.ts:1:1)');
  });

  it('leaves out large members that are no text', () => {
    const payload = { why: 'a', list: Array.from({ length: 60_000 }, () => 1) };

    expect(reported(thrown({ type: 'action_script_runtime_error', payload }))['payload']).toEqual({ why: 'a' });
  });

  it('lets no Authorization out, at any depth', () => {
    const payload = { list: [{ config: { headers: { authorization: 'Bearer x', Accept: '*/*' } } }] };

    expect(reported(thrown({ type: 'action_script_runtime_error', payload }))['payload']).toEqual({
      list: [{ config: { headers: { authorization: '[Redacted]', Accept: '*/*' } } }],
    });
  });
});
