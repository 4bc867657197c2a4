import { expect, it } from 'vitest';
import { operationLook } from './status.ts';

it('shows a success that names an error as one with a warning', () => {
  const error = { message: 'orders.ts:3:1 TS2322: …', type: 'typescript_error' };

  expect(operationLook({ state: 'success', error })).toEqual({
    label: 'Succeeded with a warning',
    tone: 'warn',
    icon: 'triangle',
  });
  expect(operationLook({ state: 'success', error: null }).label).toBe('Success');
  expect(operationLook({ state: 'failed', error }).label).toBe('Failed');
});
