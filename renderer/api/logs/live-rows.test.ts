import { describe, expect, it } from 'vitest';
import type { OperationListItem } from '../contract.ts';
import { matchesFilter, mayMatchByMessages, NO_LIVE_ROWS, rebase, release, takeRow } from './live-rows.ts';

const row = (id: string, patch: Partial<OperationListItem> = {}): OperationListItem => ({
  id,
  operation: { type: 'sync', action: 'run' },
  state: 'running',
  message: 'fetch-contacts',
  integrationName: 'hubspot',
  providerName: 'hubspot',
  connectionName: 'c1',
  endUserName: null,
  syncConfigName: 'fetch-contacts',
  trigger: 'schedule',
  error: null,
  createdAt: '2026-11-20T10:00:00.000Z',
  startedAt: null,
  endedAt: null,
  durationMs: null,
  cpuMs: null,
  memoryBytes: null,
  recordsChanged: 0,
  recordsAdded: 0,
  recordsUpdated: 0,
  recordsDeleted: 0,
  variant: null,
  httpCalls: 0,
  actor: null,
  sessionId: null,
  ...patch,
});
const head = { ids: new Set(['old']), oldest: undefined };

describe('takeRow', () => {
  it('puts a new row on top, and updates it in place when it ends', () => {
    const started = takeRow(NO_LIVE_ROWS, row('a'), { filter: {}, head, isHolding: false });
    const ended = takeRow(started, row('a', { state: 'success' }), { filter: {}, head, isHolding: false });

    expect(ended.shown.map((one) => [one.id, one.state])).toEqual([['a', 'success']]);
  });

  it('holds new rows back for a reader who scrolled away, until they are released', () => {
    const first = takeRow(NO_LIVE_ROWS, row('a'), { filter: {}, head, isHolding: false });
    const held = takeRow(first, row('b'), { filter: {}, head, isHolding: true });

    expect(held.shown).toHaveLength(1);
    expect(release(held).shown.map((one) => one.id)).toEqual(['b', 'a']);
  });

  it('keeps a row of the snapshot where it is', () => {
    const live = takeRow(NO_LIVE_ROWS, row('old', { state: 'failed' }), { filter: {}, head, isHolding: false });

    expect(live.shown).toEqual([]);
    expect(live.changed.get('old')?.state).toBe('failed');
  });

  it('takes a row in once its state matches the filter', () => {
    const context = { filter: { states: 'failed' }, head, isHolding: false };
    const running = takeRow(NO_LIVE_ROWS, row('a'), context);
    const failed = takeRow(running, row('a', { state: 'failed' }), context);

    expect(running.shown).toHaveLength(0);
    expect(failed.shown).toHaveLength(1);
  });
});

describe('rebase', () => {
  const at = (second: number): string => `2026-11-20T10:00:0${second}.000Z`;
  const context = { filter: {}, head: { ids: new Set(['first']), oldest: undefined }, isHolding: false };
  const take = (...rows: OperationListItem[]) => rows.reduce((live, one) => takeRow(live, one, context), NO_LIVE_ROWS);

  it('keeps each row that arrived after the new snapshot was read, once', () => {
    const live = take(row('a', { createdAt: at(2) }), row('b', { createdAt: at(3) }));

    const rebased = rebase(live, { filter: {}, head: { ids: new Set(['a', 'first']), oldest: at(1) } });

    expect(rebased.shown.map(({ id }) => id)).toEqual(['b']);
  });

  it('drops rows that the new snapshot has further down, and rows that another filter excludes', () => {
    const live = take(row('old', { createdAt: at(1) }), row('b', { createdAt: at(3) }), row('c', { createdAt: at(4) }));
    const filter = { search: '-state:failed' };
    const failed = takeRow(live, row('b', { createdAt: at(3), state: 'failed' }), context);

    const rebased = rebase(failed, { filter, head: { ids: new Set(), oldest: at(2) } });

    expect(rebased.shown.map(({ id }) => id)).toEqual(['c']);
  });

  it('keeps the end of a row that the new snapshot has as running', () => {
    const live = take(row('a'), row('b'), row('a', { state: 'success', endedAt: at(4) }));

    const rebased = rebase(live, { filter: {}, head: { ids: new Set(['a', 'b']), oldest: undefined } });

    expect([...rebased.changed].map(([id, { state }]) => [id, state])).toEqual([['a', 'success']]);
  });
});

describe('a long tail', () => {
  it('keeps 2,000 rows and says that more came', () => {
    const context = { filter: {}, head, isHolding: true };
    const rows = Array.from({ length: 2005 }, (_, index) => row(`r${index}`));

    const live = rows.reduce((sum, one) => takeRow(sum, one, context), NO_LIVE_ROWS);

    expect([live.held.length, live.isCut]).toEqual([2000, true]);
  });
});

describe('matchesFilter', () => {
  it('applies the query and the period', () => {
    const failed = row('a', { state: 'failed' });

    expect(matchesFilter(failed, { search: 'state:failed -integration:slack fetch' })).toBe(true);
    expect(matchesFilter(failed, { search: '-state:failed' })).toBe(false);
    expect(matchesFilter(failed, { period: `${Date.parse(failed.createdAt) + 1},` })).toBe(false);
    expect(matchesFilter(failed, { period: `,${Date.parse(failed.createdAt)}` })).toBe(true);
  });

  it('accepts a group or a full type', () => {
    expect(matchesFilter(row('a'), { types: 'sync' })).toBe(true);
    expect(matchesFilter(row('a'), { types: 'sync:run' })).toBe(true);
    expect(matchesFilter(row('a'), { types: 'sync:pause,action' })).toBe(false);
  });
});

describe('mayMatchByMessages', () => {
  it('is true for an ended operation that only lacks the words of the query', () => {
    const ended = row('a', { state: 'success', endedAt: '2026-11-20T10:00:01.000Z' });
    const may = (search: string, of = ended) => mayMatchByMessages(of, { search });

    expect([may('needle'), may('needle state:success'), may('needle -"other words"')]).toEqual([true, true, true]);
    for (const search of ['', '-contacts', 'contacts', 'needle state:failed', 'duration>2s'])
      expect(may(search), search).toBe(false);
    expect(may('needle', row('b'))).toBe(false);
  });
});
