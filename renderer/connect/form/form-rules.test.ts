import { describe, expect, it } from 'vitest';
import { createTranslate } from '../texts/translate.ts';
import type { FormField } from './form-field.ts';
import { cleanFieldValue, fieldProblem, formProblems, isDirty, toSubmission, wrongPresets } from './form-rules.ts';

const t = createTranslate({});

const field = (patch: Partial<FormField> = {}): FormField => ({
  id: 'params.subdomain',
  part: 'params',
  key: 'subdomain',
  title: 'Subdomain',
  initial: '',
  isRequired: true,
  isShown: true,
  isPreset: false,
  ...patch,
});

describe('fieldProblem', () => {
  it('asks for required values, and blanks do not count', () => {
    expect(fieldProblem(field(), '  ', t)).toBe('Subdomain is required.');
    expect(fieldProblem(field({ isRequired: false }), '', t)).toBeUndefined();
  });

  it('checks the pattern as it is written and shows the example', () => {
    const anchored = field({ pattern: '^[a-z]+$', example: 'acme' });

    expect(fieldProblem(anchored, 'acme', t)).toBeUndefined();
    expect(fieldProblem(anchored, 'evil.com/', t)).toContain('Example: acme');
    expect(fieldProblem(field({ pattern: 'key' }), 'my-key-1', t)).toBeUndefined();
    expect(fieldProblem(field({ pattern: '(' }), 'anything', t)).toBeUndefined();
  });

  it.each([
    ['hostname', 'eu.example.com', 'https://example.com/'],
    ['uri', 'https://example.com/a', 'example'],
    ['uuid', '123e4567-e89b-12d3-a456-426614174000', '123e4567'],
    ['email', 'ann@example.com', 'ann'],
  ])('knows the format %s', (format, right, wrong) => {
    expect(fieldProblem(field({ format }), right, t)).toBeUndefined();
    expect(fieldProblem(field({ format }), wrong, t)).toBeTruthy();
  });

  it('takes only choices of the list', () => {
    expect(fieldProblem(field({ enum: ['eu'] }), 'us', t)).toBeTruthy();
  });
});

describe('cleanValue', () => {
  it('removes blanks and the part that the form already shows', () => {
    const hosted = field({ prefix: 'https://', suffix: '.pagerduty.com' });

    expect(cleanFieldValue(hosted, ' HTTPS://orchard.pagerduty.com\n')).toBe('orchard');
    expect(cleanFieldValue(hosted, 'orchard')).toBe('orchard');
    expect(cleanFieldValue(field({ suffix: '' }), 'orchard')).toBe('orchard');
  });

  it('leaves a password as it is', () => {
    expect(cleanFieldValue(field({ key: 'password', secret: true }), ' a ')).toBe(' a ');
  });
});

describe('a whole form', () => {
  const shown = field();
  const hidden = field({ id: 'params.mode', key: 'mode', isShown: false, initial: 'live', default_value: 'live' });
  const preset = field({
    id: 'params.team',
    key: 'team',
    isShown: false,
    isPreset: true,
    initial: 'a b',
    pattern: '^\\w+$',
  });
  const empty = field({ id: 'params.note', key: 'note', isRequired: false });
  const emptyOnPurpose = field({
    id: 'credentials.password',
    part: 'credentials',
    key: 'password',
    isShown: false,
    isRequired: false,
    default_value: '',
  });
  const once = field({ id: 'assertion_option.once', part: 'assertion_option', key: 'once', initial: 'x' });
  const all = [shown, hidden, preset, empty, emptyOnPurpose, once];

  it('sends hidden and fixed values, and empty ones only where they are meant', () => {
    expect(toSubmission(all, { 'params.subdomain': ' acme ' })).toEqual({
      credentials: { password: '' },
      params: { subdomain: 'acme', mode: 'live', team: 'a b' },
      assertionOption: { once: 'x' },
    });
  });

  it('finds problems of visible fields, and separately those that only the app’s owner can mend', () => {
    expect(formProblems(all, {}, t)).toEqual({ 'params.subdomain': 'Subdomain is required.' });
    expect(wrongPresets(all, t)).toEqual([preset]);
  });

  it('is dirty once a visible value differs from its initial one', () => {
    expect(isDirty(all, {})).toBe(false);
    expect(isDirty(all, { 'params.mode': 'test' })).toBe(false);
    expect(isDirty(all, { 'params.subdomain': 'a' })).toBe(true);
  });
});
