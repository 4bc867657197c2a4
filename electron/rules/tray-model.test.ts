import { describe, expect, it } from 'vitest';
import type { HubStatus } from '../server-process/hub-watch.ts';
import type { MenuEntry } from './menu-model.ts';
import { type TrayFacts, trayIcon, trayMenu, trayText } from './tray-model.ts';

const READY = { name: 'ready', address: 'http://127.0.0.1:3003' } as const;
const CALM: HubStatus = {
  running: 0,
  attention: 0,
  approvals: [],
  lastFailure: undefined,
  pausedSchedules: null,
  isVaultLocked: false,
};
const NOW = Date.parse('2026-03-01T10:00:00Z');
const facts = (hub: Partial<HubStatus> = {}): TrayFacts => ({ server: READY, hub: { ...CALM, ...hub }, now: NOW });
const approval = {
  id: 'a1',
  env: 'dev',
  clientName: 'Editor',
  integrationKey: 'github',
  connectionId: 'c',
  tool: 'create-issue',
  risk: 'write' as const,
  reasons: [],
  decisions: [],
  arguments: {},
  askedAt: '2026-03-01T10:00:00Z',
  expiresAt: '2026-03-01T10:01:00Z',
};

const labels = (entries: MenuEntry[]): string[] => entries.flatMap(({ label }) => label ?? []);
const find = (entries: MenuEntry[], start: string): MenuEntry | undefined =>
  entries.find(({ label }) => label?.startsWith(start));

describe('the tray icon', () => {
  it.each([
    ['ok', facts()],
    ['working', facts({ running: 2 })],
    ['attention', facts({ running: 2, attention: 1 })],
    ['attention', facts({ approvals: [approval] })],
    ['locked', facts({ isVaultLocked: true, attention: 1, running: 2 })],
    ['ok', { server: READY, hub: undefined, now: NOW }],
    ['working', { server: { name: 'starting' }, hub: undefined, now: NOW }],
    ['locked', { server: { name: 'locked', message: 'x' }, hub: undefined, now: NOW }],
    ['stopped', { server: { name: 'failed', code: 'port_in_use', message: 'x' }, hub: undefined, now: NOW }],
    ['stopped', { server: { name: 'stopped' }, hub: undefined, now: NOW }],
  ] satisfies Array<[string, TrayFacts]>)('is %s', (icon, given) => {
    expect(trayIcon(given)).toBe(icon);
  });

  it('says in one line what it means', () => {
    expect(trayText(facts())).toBe('Running');
    expect(trayText(facts({ attention: 1, running: 3 }))).toBe('1 needs attention · 3 running');
    expect(trayText(facts({ isVaultLocked: true, attention: 1 }))).toBe('Vault locked · 1 needs attention');
    expect(trayText(facts({ pausedSchedules: { until: null, reasons: ['battery'] } }))).toBe(
      'Schedules paused on battery',
    );
    expect(trayText(facts({ pausedSchedules: { until: '2026-03-01T09:59:00Z', reasons: ['person'] } }))).toBe(
      'Running',
    );
  });
});

describe('the menu of the tray', () => {
  it('has every entry of the contract', () => {
    expect(labels(trayMenu(facts()))).toEqual([
      'Running',
      'Open Homeport',
      'Quick panel',
      'Pause all schedules',
      'No failure',
      'No pending approvals',
      'Copy API address',
      'Lock vault',
      'Settings',
      'Quit Homeport',
    ]);
  });

  it('pauses for 15 minutes, an hour or until resumed, and resumes', () => {
    const pause = find(trayMenu(facts()), 'Pause')?.submenu?.map(({ action }) => action);
    expect(pause).toEqual([
      { do: 'pause-schedules', forMs: 900_000 },
      { do: 'pause-schedules', forMs: 3_600_000 },
      { do: 'pause-schedules', forMs: null },
    ]);
    const paused = trayMenu(facts({ pausedSchedules: { until: null, reasons: ['person'] } }));
    expect(find(paused, 'Resume')?.action).toEqual({ do: 'resume-schedules' });
    expect(find(paused, 'Pause')).toBeUndefined();
  });

  it('locks the vault, and unlocks a locked one', () => {
    expect(find(trayMenu(facts()), 'Lock')).toMatchObject({ action: { do: 'lock-vault' }, isEnabled: true });
    expect(find(trayMenu({ ...facts(), hub: undefined }), 'Lock')?.isEnabled).toBe(false);
    const locked = trayMenu(facts({ isVaultLocked: true }));
    expect(find(locked, 'Unlock')?.action).toEqual({ do: 'unlock-vault' });
    expect(find(locked, 'Lock')).toBeUndefined();
  });

  it('leads to the last failure and to each pending approval', () => {
    const lastFailure = { title: 'GitHub · issues', path: '/app/dev/logs?operationId=o', at: '2026-03-01T09:00:00Z' };
    const menu = trayMenu(facts({ lastFailure, approvals: [approval] }));

    expect(find(menu, 'Last failure: GitHub · issues')?.action).toEqual({ do: 'open', path: lastFailure.path });
    expect(find(menu, 'Pending approvals (1)')?.submenu?.[0]).toEqual({
      label: 'Editor: create-issue',
      action: { do: 'open', path: '/app/dev/agents' },
    });
  });

  it('offers to start a stopped server, and hides entries that need one', () => {
    const menu = trayMenu({ server: { name: 'failed', code: 'start_failed', message: 'x' }, hub: undefined, now: NOW });

    expect(find(menu, 'Start the server')?.action).toEqual({ do: 'restart-server' });
    for (const start of ['Quick panel', 'Pause', 'Copy', 'Settings']) expect(find(menu, start)?.isEnabled).toBe(false);
  });
});
