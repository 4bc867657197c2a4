import type { ServerState } from '../../server/contract/shell-messages.ts';
import type { HubStatus } from '../server-process/hub-watch.ts';
import type { MenuEntry, ShellAction } from './menu-model.ts';

/** States of the icon; each has its own picture. */
export type TrayIcon = 'ok' | 'working' | 'attention' | 'locked' | 'stopped';

/** State for drawing the icon. `hub` is undefined until the hub has answered once. */
export interface TrayFacts {
  server: ServerState;
  hub: HubStatus | undefined;
  now: number;
}

const MINUTE_MS = 60_000;
/** In characters. Longer names would make the menu too wide. */
const MAX_LABEL_LENGTH = 60;

export function trayIcon({ server, hub }: TrayFacts): TrayIcon {
  if (server.name === 'locked') return 'locked';
  if (server.name === 'failed' || server.name === 'stopped') return 'stopped';
  if (server.name !== 'ready') return 'working';
  if (hub?.isVaultLocked) return 'locked';
  if (hub && countOf(hub) > 0) return 'attention';
  return hub && hub.running > 0 ? 'working' : 'ok';
}

/** Number of things that need a person: connections, syncs and webhooks that fail, and calls to approve. */
export function countOf(hub: HubStatus): number {
  return hub.attention + hub.approvals.length;
}

/** One line: the first entry of the menu and the tooltip of the icon. */
export function trayText({ server, hub, now }: TrayFacts): string {
  switch (server.name) {
    case 'locked':
      return 'Vault locked';
    case 'failed':
      return 'Not running';
    case 'stopped':
      return 'Stopped';
    case 'starting':
      return 'Starting';
    case 'restarting':
      return 'Starting again';
    default:
  }
  if (!hub) return 'Running';
  const parts = [
    ...(hub.isVaultLocked ? ['Vault locked'] : []),
    ...(countOf(hub) > 0 ? [`${countOf(hub)} ${countOf(hub) === 1 ? 'needs' : 'need'} attention`] : []),
    ...(hub.running > 0 ? [`${hub.running} running`] : []),
    ...(hub.pausedSchedules && !isOver(hub, now) ? [pauseText(hub)] : []),
  ];
  return parts.length === 0 ? 'Running' : parts.join(' · ');
}

/** The menu of ui.md 13.1. */
export function trayMenu(facts: TrayFacts): MenuEntry[] {
  const { server, hub, now } = facts;
  const isUp = server.name === 'ready';
  const failure = hub?.lastFailure;
  const isPaused = hub?.pausedSchedules != null && !isOver(hub, now);
  return [
    { label: trayText(facts), isEnabled: false },
    ...(server.name === 'failed' || server.name === 'locked' || server.name === 'stopped'
      ? [{ label: 'Start the server', action: { do: 'restart-server' } } satisfies MenuEntry]
      : []),
    { type: 'separator' },
    { label: 'Open Homeport', action: { do: 'show' } },
    { label: 'Quick panel', action: { do: 'quick-panel' }, isEnabled: isUp },
    { type: 'separator' },
    isPaused
      ? { label: 'Resume all schedules', action: { do: 'resume-schedules' }, isEnabled: isUp }
      : {
          label: 'Pause all schedules',
          isEnabled: isUp && hub !== undefined,
          submenu: [
            { label: 'For 15 minutes', action: { do: 'pause-schedules', forMs: 15 * MINUTE_MS } },
            { label: 'For 1 hour', action: { do: 'pause-schedules', forMs: 60 * MINUTE_MS } },
            { label: 'Until resumed', action: { do: 'pause-schedules', forMs: null } },
          ],
        },
    failure
      ? { label: cut(`Last failure: ${failure.title}`), action: { do: 'open', path: failure.path }, isEnabled: isUp }
      : { label: 'No failure', isEnabled: false },
    ...approvals(hub),
    { type: 'separator' },
    { label: 'Copy API address', action: { do: 'copy-address' }, isEnabled: isUp },
    hub?.isVaultLocked
      ? { label: 'Unlock vault', action: { do: 'unlock-vault' }, isEnabled: isUp }
      : { label: 'Lock vault', action: { do: 'lock-vault' }, isEnabled: isUp && hub !== undefined },
    { label: 'Settings', action: { do: 'settings' }, isEnabled: isUp },
    { type: 'separator' },
    { label: 'Quit Homeport', action: { do: 'quit' } },
  ];
}

function approvals(hub: HubStatus | undefined): MenuEntry[] {
  const waiting = hub?.approvals ?? [];
  if (waiting.length === 0) return [{ label: 'No pending approvals', isEnabled: false }];
  return [
    {
      label: `Pending approvals (${waiting.length})`,
      submenu: waiting.map(({ env, clientName, reasons, tool }) => ({
        label: cut([`${clientName}: ${tool}`, ...reasons].join(' · ')),
        action: { do: 'open', path: `/app/${env}/agents` } satisfies ShellAction,
      })),
    },
  ];
}

function isOver({ pausedSchedules }: HubStatus, now: number): boolean {
  return typeof pausedSchedules?.until === 'string' && Date.parse(pausedSchedules.until) <= now;
}

function pauseText({ pausedSchedules }: HubStatus): string {
  if (pausedSchedules?.reasons.length === 1 && pausedSchedules.reasons[0] === 'battery')
    return 'Schedules paused on battery';
  const until = pausedSchedules?.until;
  if (!until) return 'Schedules paused';
  const time = new Date(until);
  return `Schedules paused until ${String(time.getHours()).padStart(2, '0')}:${String(time.getMinutes()).padStart(2, '0')}`;
}

function cut(text: string): string {
  return text.length > MAX_LABEL_LENGTH ? `${text.slice(0, MAX_LABEL_LENGTH - 1)}…` : text;
}
