import { describe, expect, it } from 'vitest';
import { DEFAULT_RULES, isShownNatively, readRules } from './notification-rules.ts';

const at = (time: string): number => new Date(`2026-03-04T${time}:00`).getTime();

describe('isShownNatively', () => {
  it('follows the channel of the kind', () => {
    expect(isShownNatively(DEFAULT_RULES, 'sign-in', at('12:00'))).toBe(true);
    expect(isShownNatively(DEFAULT_RULES, 'function', at('12:00'))).toBe(false);
  });

  it.each([
    ['21:59', true],
    ['22:00', false],
    ['03:00', false],
    ['06:59', false],
    ['07:00', true],
  ])('at %s is %s with quiet hours over midnight', (time, isShown) => {
    const rules = { ...DEFAULT_RULES, quietHours: { from: '22:00', to: '07:00' } };

    expect(isShownNatively(rules, 'sync', at(time))).toBe(isShown);
  });

  it('knows quiet hours within a day', () => {
    const rules = { ...DEFAULT_RULES, quietHours: { from: '12:00', to: '13:00' } };

    expect(['11:59', '12:30', '13:00'].map((time) => isShownNatively(rules, 'sync', at(time)))).toEqual([
      true,
      false,
      true,
    ]);
  });
});

describe('readRules', () => {
  it('gives kinds that are not stored their default', () => {
    const rules = readRules(JSON.stringify({ kinds: { sync: 'off' }, syncFailures: 5, quietHours: null }));

    expect([rules.kinds.sync, rules.kinds['sign-in'], rules.syncFailures]).toEqual(['off', 'native', 5]);
  });
});
