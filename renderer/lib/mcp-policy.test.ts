import { describe, expect, it } from 'vitest';
import { choiceOf, policyOptions } from './mcp-policy.ts';

describe('choiceOf', () => {
  it.each([
    ['read', null, 'allow', 'default'],
    ['write', null, 'ask', 'default'],
    ['write', null, 'allow', 'session'],
    ['delete', 'ask', 'allow', 'session'],
    ['delete', 'allow', 'allow', 'allow'],
    ['read', 'deny', 'deny', 'deny'],
  ] as const)('of a tool that %ss, with %s said and %s true, is %s', (risk, policy, effective, choice) => {
    expect(choiceOf({ risk, policy, effective })).toBe(choice);
  });
});

describe('policyOptions', () => {
  it('names the default', () => {
    expect(policyOptions('default', 'read')[0]?.label).toBe('Default: allow');
    expect(policyOptions('default', 'delete')[0]?.label).toBe('Default: ask');
  });

  it('offers the result of an answer only while it applies', () => {
    expect(policyOptions('session', 'write').map(({ value }) => value)).toContain('session');
    expect(policyOptions('ask', 'write').map(({ value }) => value)).not.toContain('session');
  });
});
