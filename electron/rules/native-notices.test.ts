import { describe, expect, it } from 'vitest';
import { nativeNotice } from './native-notices.ts';

const ROW = {
  id: 1,
  kind: 'sync',
  title: 'issues failed 3 times in a row',
  text: 'A sync of github.',
  link: '/dev/connections/github/c/syncs',
  action: 'run',
  subject: { cause: 'sync ["github","issues","1"]', sync: 'issues' },
  count: 3,
  at: '2026-03-01T10:00:00Z',
  isRead: false,
  isOver: false,
} as const;

describe('a notification of the system', () => {
  it('shows the texts of the row and opens its page', () => {
    expect(nativeNotice(ROW)).toMatchObject({
      title: ROW.title,
      body: ROW.text,
      path: '/app/dev/connections/github/c/syncs',
    });
    expect(nativeNotice({ ...ROW, text: null }).body).toBe('');
  });

  it('runs the syncs of its cause again', () => {
    const { buttons } = nativeNotice(ROW);

    expect(buttons.map(({ label }) => label)).toEqual(['Run again', 'Show']);
    expect(buttons[0]?.action).toEqual({ do: 'run', cause: ROW.subject.cause });
  });

  it('answers the question of an agent', () => {
    const { buttons } = nativeNotice({ ...ROW, kind: 'approval', action: 'review', subject: { approvalId: 'a' } });

    expect(buttons.map(({ label }) => label)).toEqual(['Allow once', 'Deny']);
    expect(buttons[1]?.action).toEqual({ do: 'answer', approvalId: 'a', decision: 'deny' });
  });

  it('opens its page for every other action and for a row without one', () => {
    expect(nativeNotice({ ...ROW, action: 'reconnect', subject: null }).buttons).toEqual([
      { label: 'Reconnect', action: { do: 'open' } },
    ]);
    expect(nativeNotice({ ...ROW, subject: null }).buttons).toEqual([{ label: 'Run again', action: { do: 'open' } }]);
  });
});
