import { describe, expect, it } from 'vitest';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { presentToolError } from './tool-error.present.ts';

const textOf = (error: unknown) => presentToolError(error).content[0]?.['text'];
const upstream = (status: number, retryAfterS?: number) =>
  new HomeportError('script_http_error', `Request failed with status code ${status}`, {
    payload: { message: 'no' },
    members: { upstream: { status, headers: {}, body: {} } },
    ...(retryAfterS === undefined ? {} : { retryAfterS }),
  });

describe('presentToolError', () => {
  it('says what failed, with which details, and that a repeat does not help', () => {
    const error = new HomeportError('action_script_runtime_error', 'No such note.', { payload: { id: '1' } });

    expect(presentToolError(error)).toMatchObject({ isError: true });
    expect(textOf(error)).toBe(
      'No such note. (action_script_runtime_error)\nDetails: {"id":"1"}\n' +
        'A repeat with the same input does not help unless the cause is gone.',
    );
  });

  it.each([
    [upstream(429, 7), 'Repeat it after 7 s.'],
    [upstream(429), 'Repeat it after 60 s.'],
    [upstream(503), 'A repeat may help after 30 s.'],
    [upstream(401), 'connected the account again'],
    [upstream(404), 'change the input'],
    [new HomeportError('vault_locked', 'The vault is locked.'), 'after a person has unlocked the hub'],
    [new HomeportError('action_script_failure', 'Too slow.'), 'check that before you repeat it'],
    [
      new HomeportError('action_script_failure', 'No slot.', {
        payload: { error: 'x', payload: { reason: 'createdToStartedTimeoutSecs_exceeded' } },
      }),
      'It did not run. Repeat it after 30 s.',
    ],
  ])('advises by the cause (%#)', (error, advice) => {
    expect(textOf(error)).toContain(advice);
  });

  it('tells nothing of an unexpected error', () => {
    expect(textOf(new Error('secret'))).not.toContain('secret');
  });
});
