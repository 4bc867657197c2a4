import { describe, expect, it } from 'vitest';
import { HostCallError, toWireError } from './host-call-error.ts';

describe('toWireError', () => {
  it('passes on exactly what a HostCallError says', () => {
    const wire = { name: 'AxiosError', message: 'm', status: 404, isAxiosError: true };

    expect(toWireError(new HostCallError(wire))).toBe(wire);
  });

  it('shows only name, message and code of any other error', () => {
    const error = Object.assign(new TypeError('bad'), { code: 'E_BAD', secret: 'x', cause: new Error('inner') });

    expect(toWireError(error)).toEqual({ name: 'TypeError', message: 'bad', code: 'E_BAD' });
    expect(toWireError('text')).toEqual({ name: 'Error', message: 'text' });
  });
});
