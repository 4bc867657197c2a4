import {
  IconCopy,
  IconExternalLink,
  IconKey,
  IconListSearch,
  IconPlayerPlay,
  IconPlus,
  IconRefresh,
  IconSettings,
  IconTerminal2,
  IconToggleLeft,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';
import { describeError } from '../../api/api-error.ts';
import { useConnectionBulk } from '../../api/connections/connections-mutations.ts';
import type { ConnectionCommand } from '../../api/contract.ts';
import { useToggleFunctions } from '../../api/functions/functions-mutations.ts';
import { notifyDone, notifyError } from '../../components/notify.ts';
import { useShell } from '../../components/shell-context.ts';
import { paths, windowHref } from '../../lib/paths.ts';
import type { PaletteEntry, Subject } from './palette-entry.ts';

type Action = Pick<PaletteEntry, 'label' | 'to' | 'run'> & { icon: ComponentType<{ size: number; stroke: number }> };

/** Opens an address of the dashboard in a window of its own. */
export const openWindow = (to: string): void => void window.open(windowHref(to), '_blank', 'noopener');

async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notifyDone(`${what} copied`);
  } catch (error) {
    // The browser refuses when the page may not write to the clipboard.
    notifyError({ message: `${what} could not be copied.`, code: describeError(error).code });
  }
}

/** The actions of an entry besides opening it, in the order in which they are offered. */
export function useSubjectActions(env: string): (subject: Subject) => PaletteEntry[] {
  const { openPlayground } = useShell();
  const connections = useConnectionBulk();
  const functions = useToggleFunctions();
  const finish = (problems: Array<{ message: string; code: string } | null>, done: string): void => {
    const problem = problems.find((one) => one !== null);
    if (problem) notifyError(problem);
    else notifyDone(done);
  };
  const order = (target: Subject & { kind: 'connection' }, command: ConnectionCommand, done: string): void =>
    connections.mutate(
      { command, targets: [target] },
      {
        onSuccess: (problems) => finish(problems, done),
        onError: (error) => notifyError(describeError(error)),
      },
    );
  const toggle = (target: Subject & { kind: 'function' }, isEnabled: boolean): void =>
    functions.mutate(
      { isEnabled, targets: [target] },
      {
        onSuccess: (problems) => finish(problems, `${target.name} is ${isEnabled ? 'on' : 'off'}`),
        onError: (error) => notifyError(describeError(error)),
      },
    );
  const actionsOf = (subject: Subject): Action[] => {
    switch (subject.kind) {
      case 'connection': {
        const { integrationKey, connectionId } = subject;
        const query = { integrations: integrationKey, connections: connectionId };
        return [
          { label: 'Run all syncs', icon: IconPlayerPlay, run: () => order(subject, 'run', 'Syncs started') },
          { label: 'Refresh token', icon: IconKey, run: () => order(subject, 'refresh', 'Token refreshed') },
          {
            label: 'Open in the playground',
            icon: IconTerminal2,
            run: () => openPlayground({ integrationKey, connectionId }),
          },
          { label: 'Open its logs', icon: IconListSearch, to: paths.logs(env, query) },
          { label: 'Open its syncs', icon: IconRefresh, to: paths.connection(env, subject, 'syncs') },
          { label: 'Copy the connection ID', icon: IconCopy, run: () => copy(connectionId, 'Connection ID') },
        ];
      }
      case 'integration':
        return [
          { label: 'New connection for it', icon: IconPlus, to: paths.newConnection(env, subject.key) },
          { label: 'Open its settings', icon: IconSettings, to: paths.integration(env, subject.key, 'settings') },
          { label: 'Open its logs', icon: IconListSearch, to: paths.logs(env, { integrations: subject.key }) },
          { label: 'Copy the integration ID', icon: IconCopy, run: () => copy(subject.key, 'Integration ID') },
        ];
      case 'function': {
        const { integrationKey, type, name } = subject;
        const kind = type === 'on-event' ? 'event' : type;
        return [
          {
            label: 'Open in the playground',
            icon: IconTerminal2,
            run: () => openPlayground({ kind, integrationKey, name }),
          },
          {
            label: 'Open its logs',
            icon: IconListSearch,
            to: paths.logs(env, { integrations: integrationKey, syncs: name }),
          },
          { label: 'Enable it', icon: IconToggleLeft, run: () => toggle(subject, true) },
          { label: 'Disable it', icon: IconToggleLeft, run: () => toggle(subject, false) },
          { label: 'Copy its name', icon: IconCopy, run: () => copy(name, 'Name') },
        ];
      }
      case 'operation':
        return [{ label: 'Copy the operation ID', icon: IconCopy, run: () => copy(subject.id, 'Operation ID') }];
    }
  };
  return (subject) =>
    actionsOf(subject).map(({ icon: Icon, ...action }) => ({
      ...action,
      id: `action:${subject.kind}:${action.label}`,
      group: 'Actions',
      icon: <Icon size={16} stroke={1.6} />,
    }));
}

/** The actions of every entry that has an address. */
export const addressActions = (to: string): PaletteEntry[] => [
  {
    id: 'action:window',
    group: 'Actions',
    label: 'Open in a new window',
    icon: <IconExternalLink size={16} stroke={1.6} />,
    run: () => openWindow(to),
  },
  {
    id: 'action:link',
    group: 'Actions',
    label: 'Copy a link to it',
    icon: <IconCopy size={16} stroke={1.6} />,
    run: () => copy(`${location.origin}${windowHref(to)}`, 'Link'),
  },
];
