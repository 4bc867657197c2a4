import { describe, expect, it } from 'vitest';
import { refreshLook } from './refresh-look.ts';

const CREATED = '2026-11-20T10:00:00.000Z';
const LATER = '2026-11-20T11:00:00.000Z';
const labelOf = (at: string, succeeded: boolean): string | undefined =>
  refreshLook({ createdAt: CREATED, lastRefresh: { at, succeeded, message: null, operationId: null } })?.label;

describe('the last refresh', () => {
  it('is unknown until the credentials were refreshed after they were stored', () => {
    expect(labelOf(CREATED, true)).toBeUndefined();
    expect(refreshLook({ createdAt: CREATED, lastRefresh: null })).toBeUndefined();
    expect(labelOf(LATER, true)).toBe('Succeeded');
    expect(labelOf(LATER, false)).toBe('Failed');
  });
});
