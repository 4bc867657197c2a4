import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { createPracticeTracker, type PracticeTracker } from './practice-tracker.ts';

const MINUTE_MS = 60_000;

function trackerAt(start: string, seed = 'test'): { tracker: PracticeTracker; clock: FakeClock } {
  const clock = new FakeClock(start);
  return { clock, tracker: createPracticeTracker({ clock, seed }) };
}

describe('the practice tracker', () => {
  it('gives the same data for the same seed and time, whenever it was started', async () => {
    const early = trackerAt('2026-06-01T00:00:00Z');
    const late = trackerAt('2026-06-02T00:00:00Z');

    await early.clock.advance(24 * 60 * MINUTE_MS);

    expect(early.tracker.listIssues()).toEqual(late.tracker.listIssues());
    expect(early.tracker.listUsers()).toEqual(late.tracker.listUsers());
    expect(late.tracker.listIssues()).not.toEqual(trackerAt('2026-06-02T00:00:00Z', 'other').tracker.listIssues());
  });

  it('always holds 250 issues with unique ids, in the order of their last change', () => {
    const issues = trackerAt('2026-11-20T10:07:00Z').tracker.listIssues();

    expect(new Set(issues.map((issue) => issue.id)).size).toBe(250);
    expect(issues.map((issue) => issue.updated_at)).toEqual(issues.map((issue) => issue.updated_at).sort());
  });

  it('changes a few issues in a few minutes and never their past', async () => {
    const { tracker, clock } = trackerAt('2026-06-01T00:01:00Z');
    const before = tracker.listIssues();
    const beforeMs = clock.now();

    await clock.advance(5 * MINUTE_MS);

    const known = new Map(before.map((issue) => [issue.id, issue]));
    const changed = tracker.listIssues().filter((issue) => Date.parse(issue.updated_at) > beforeMs);
    const same = tracker.listIssues().filter((issue) => Date.parse(issue.updated_at) <= beforeMs);
    expect(changed.length).toBeGreaterThan(3);
    expect(changed.length).toBeLessThan(60);
    expect(same).toEqual(same.map((issue) => known.get(issue.id)));
  });

  it('replaces its oldest issue every ten minutes', async () => {
    const { tracker, clock } = trackerAt('2026-06-01T00:01:00Z');
    const before = new Set(tracker.listIssues().map((issue) => issue.id));

    await clock.advance(10 * MINUTE_MS);

    const after = tracker.listIssues().map((issue) => issue.id);
    expect(after.filter((id) => !before.has(id))).toHaveLength(1);
    expect(after).toHaveLength(250);
    const gone = [...before].find((id) => !after.includes(id)) ?? '';
    expect(tracker.findIssue(gone)).toBeUndefined();
  });

  it('merges changes by callers with its own data', async () => {
    const { tracker, clock } = trackerAt('2026-06-01T00:01:00Z');
    const own = tracker.listIssues().at(-1);
    await clock.advance(MINUTE_MS);

    const created = tracker.createIssue({ title: 'Written by a test', state: 'closed' });
    tracker.updateIssue(own?.id ?? '', { title: 'Changed' });

    expect(created).toMatchObject({ title: 'Written by a test', state: 'closed', closed_at: created.updated_at });
    expect(
      tracker
        .listIssues()
        .slice(-2)
        .map((issue) => issue.title)
        .sort(),
    ).toEqual(['Changed', 'Written by a test']);
    expect(tracker.deleteIssue(created.id)).toBe(true);
    expect(tracker.deleteIssue(own?.id ?? '')).toBe(true);
    expect(tracker.findIssue(own?.id ?? '')).toBeUndefined();
    expect(tracker.listIssues()).toHaveLength(249);
  });

  it('exchanges one user a day', async () => {
    const { tracker, clock } = trackerAt('2026-06-01T12:00:00Z');
    const before = tracker.listUsers().map((user) => user.id);

    await clock.advance(24 * 60 * MINUTE_MS);

    expect(
      tracker
        .listUsers()
        .map((user) => user.id)
        .slice(0, -1),
    ).toEqual(before.slice(1));
  });
});
