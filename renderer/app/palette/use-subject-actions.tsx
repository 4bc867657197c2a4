import {
  IconCopy,
  IconExternalLink,
  IconFunction,
  IconKey,
  IconListSearch,
  IconPlugConnected,
  IconPlus,
  IconRefresh,
  IconSettings,
  IconStar,
  IconTerminal2,
  IconToggleLeft,
} from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import type { ComponentType } from 'react';
import { useConnectionBulk } from '../../api/connections/connections-mutations.ts';
import { connectionQueryOptions } from '../../api/connections/connections-queries.ts';
import { useSyncActions } from '../../api/connections/use-sync-actions.ts';
import type { ConnectionCommand, OperationDetailResponse } from '../../api/contract.ts';
import { useToggleFunctions } from '../../api/functions/functions-mutations.ts';
import { functionQueryOptions } from '../../api/functions/functions-queries.ts';
import { operationQueryOptions } from '../../api/logs/logs-queries.ts';
import { OWN_ERROR } from '../../api/use-change.ts';
import { copyText } from '../../components/copy-text.ts';
import type { BulkAnswer } from '../../components/list/use-bulk.tsx';
import { notifyError } from '../../components/notice/notify.ts';
import { notifyUndoable } from '../../components/notice/notify-undoable.ts';
import { useShell } from '../../components/shell-context.ts';
import { toggleSidebarPin } from '../../components/use-favourites.ts';
import { paths, windowHref } from '../../lib/paths.ts';
import { favourites, isFavourite } from '../../lib/pinned-places.ts';
import type { PaletteEntry, Subject, SyncVerb } from './palette-entry.ts';
import { SAYS_WHERE } from './says-where.ts';
import { SYNC_VERBS } from './use-verb-entries.tsx';

type Action = Pick<PaletteEntry, 'label' | 'to' | 'run' | 'keywords' | 'step'> & {
  icon: ComponentType<{ size: number; stroke: number }>;
};

/** Opens an address of the dashboard in a window of its own. */
export const openWindow = (to: string): void => void window.open(windowHref(to), '_blank', 'noopener');

const copy = (text: string, what: string): Promise<void> => copyText(text, `${what} copied`);

/**
 * The actions of an entry besides opening it, in the order in which they are offered. Of an object that a screen has
 * loaded, only what its state allows.
 */
export function useSubjectActions(env: string): (subject: Subject) => PaletteEntry[] {
  const { openPlayground } = useShell();
  const client = useQueryClient();
  const connections = useConnectionBulk(OWN_ERROR);
  const functions = useToggleFunctions();
  const orderSync = useSyncActions(SAYS_WHERE);
  // The palette is closed by the end of a command, so callbacks of `mutate` would not be called.
  const report = async (answer: Promise<BulkAnswer>, done: string) => {
    try {
      const { problems, takeBack } = await answer;
      const problem = problems.find((one) => one !== null);
      if (problem) notifyError(problem);
      else notifyUndoable(done, takeBack);
    } catch (error) {
      notifyError(error);
    }
  };
  const order = (target: Subject & { kind: 'connection' }, command: ConnectionCommand, done: string) =>
    report(connections.mutateAsync({ command, targets: [target] }), done);
  const toggle = (target: Subject & { kind: 'function' }, isEnabled: boolean) =>
    report(
      functions.mutateAsync({ isEnabled, targets: [target] }),
      `${target.name} is ${isEnabled ? 'enabled' : 'disabled'}`,
    );
  /** What a known operation was about. */
  const placesOf = (operation: OperationDetailResponse): Action[] => {
    const { integrationName: integrationKey, connectionName: connectionId, syncConfigName: name } = operation;
    const { type } = operation.operation;
    if (!integrationKey || !connectionId) return [];
    const connection = {
      label: 'Open its connection',
      icon: IconPlugConnected,
      to: paths.connection(env, { integrationKey, connectionId }),
    };
    if (!name || (type !== 'sync' && type !== 'action')) return [connection];
    const target = { kind: type, integrationKey, connectionId, name } as const;
    return [
      { label: 'Open in the playground', icon: IconTerminal2, run: () => openPlayground(target) },
      { label: 'Open its function', icon: IconFunction, to: paths.function(env, { integrationKey, type, name }) },
      connection,
    ];
  };
  const actionsOf = (subject: Subject): Action[] => {
    switch (subject.kind) {
      case 'connection': {
        const { integrationKey, connectionId } = subject;
        const query = { integrations: integrationKey, connections: connectionId };
        const known = client.getQueryData(connectionQueryOptions(env, { integrationKey, connectionId }).queryKey);
        const refresh = () => order(subject, 'refresh', 'Token refreshed');
        const { RUN, PAUSE, UNPAUSE } = SYNC_VERBS;
        const run = { icon: RUN.icon, keywords: RUN.words, run: () => order(subject, 'run', 'Syncs started') };
        const pause = { icon: PAUSE.icon, keywords: PAUSE.words, run: () => order(subject, 'pause', 'Syncs paused') };
        const resume = {
          icon: UNPAUSE.icon,
          keywords: UNPAUSE.words,
          run: () => order(subject, 'resume', 'Syncs resumed'),
        };
        const { syncCount = 1, pausedSyncCount } = known ?? {};
        return [
          ...(syncCount > 0 ? [{ label: 'Run all syncs', ...run }] : []),
          ...(syncCount > (pausedSyncCount ?? 0) ? [{ label: 'Pause its syncs', ...pause }] : []),
          ...(pausedSyncCount === 0 ? [] : [{ label: 'Resume its syncs', ...resume }]),
          ...(known?.isRefreshable === false ? [] : [{ label: 'Refresh the token', icon: IconKey, run: refresh }]),
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
        const known = client.getQueryData(functionQueryOptions(env, { integrationKey, type, name }).queryKey);
        const enable = { label: 'Enable it', icon: IconToggleLeft, run: () => toggle(subject, true) };
        const disable = { label: 'Disable it', icon: IconToggleLeft, run: () => toggle(subject, false) };
        const sync = { integrationKey, name };
        const everywhere = (label: string, verb: SyncVerb): Action => ({
          label: `${label} it on every connection`,
          icon: SYNC_VERBS[verb].icon,
          keywords: SYNC_VERBS[verb].words,
          run: () => orderSync.mutate({ integrationKey: sync.integrationKey, sync: sync.name, command: verb }),
        });
        return [
          ...(type === 'sync'
            ? [
                {
                  label: 'Run it on a connection…',
                  icon: SYNC_VERBS.RUN.icon,
                  keywords: SYNC_VERBS.RUN.words,
                  step: { choose: 'connection', verb: 'RUN', sync } as const,
                },
                everywhere('Run', 'RUN'),
                everywhere('Pause', 'PAUSE'),
                everywhere('Resume', 'UNPAUSE'),
              ]
            : []),
          {
            label: 'Open in the playground',
            icon: IconTerminal2,
            keywords: type === 'action' ? ['trigger', 'run', 'call', 'invoke', 'test'] : ['test', 'dry run'],
            run: () => openPlayground({ kind, integrationKey, name }),
          },
          {
            label: 'Open its logs',
            icon: IconListSearch,
            to: paths.logs(env, { integrations: integrationKey, syncs: name }),
          },
          ...(known ? [known.isEnabled ? disable : enable] : [enable, disable]),
          { label: 'Copy its name', icon: IconCopy, run: () => copy(name, 'Name') },
        ];
      }
      case 'operation': {
        const known = client.getQueryData(operationQueryOptions(env, subject.id).queryKey);
        return [
          ...(known ? placesOf(known) : []),
          { label: 'Copy the operation ID', icon: IconCopy, run: () => copy(subject.id, 'Operation ID') },
        ];
      }
    }
  };
  const pinOf = (subject: Subject): Action[] => {
    if (subject.kind === 'operation') return [];
    const isPinned = isFavourite(favourites.read(env), subject);
    return [
      {
        label: isPinned ? 'Remove from the sidebar' : 'Pin to the sidebar',
        keywords: ['favourite', 'favorite', 'star', 'bookmark', 'pin', 'unpin'],
        icon: IconStar,
        run: () => toggleSidebarPin(env, subject),
      },
    ];
  };
  return (subject) =>
    [...actionsOf(subject), ...pinOf(subject)].map(({ icon: Icon, ...action }) => ({
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
