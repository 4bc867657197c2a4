import { describe, expect, it } from 'vitest';
import { fieldError } from './FieldInput.tsx';

describe('fieldError', () => {
  it('asks for a required value', () => {
    expect(fieldError({ name: 'a', title: 'API key' }, '')).toBe('API key is required.');
    expect(fieldError({ name: 'a', title: 'API key', optional: true }, '')).toBeUndefined();
  });

  it('checks the pattern of the catalogue', () => {
    const field = { name: 'domain', title: 'Domain', pattern: '^[a-z]+$' };

    expect(fieldError(field, 'acme')).toBeUndefined();
    expect(fieldError(field, 'evil.com/')).toContain('expected form');
  });
});
