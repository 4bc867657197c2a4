import { useDebouncedValue } from '@mantine/hooks';
import { IconFunction, IconStack2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { connectionChoicesQueryOptions } from '../../api/connections/connections-queries.ts';
import { useSyncActions } from '../../api/connections/use-sync-actions.ts';
import { functionOptionsQueryOptions, syncConnectionsQueryOptions } from '../../api/functions/functions-queries.ts';
import { integrationChoicesQueryOptions } from '../../api/integrations/integrations-queries.ts';
import { ProviderLogo } from '../../components/connection/ProviderLogo.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { useShell } from '../../components/shell-context.ts';
import { formatCount, formatNumber } from '../../lib/format-number.ts';
import { paths } from '../../lib/paths.ts';
import { FUNCTION_LOOK, lookOf, SYNC_LOOK } from '../../lib/status.ts';
import type { PaletteEntry, PaletteStep, SyncVerb } from './palette-entry.ts';
import { SAYS_WHERE } from './says-where.ts';
import { SYNC_VERBS } from './use-verb-entries.tsx';

const TYPED_MS = 120;

const VERB_NAMES: Record<SyncVerb, string> = { RUN: 'Run', PAUSE: 'Pause', UNPAUSE: 'Resume', CANCEL: 'Cancel' };

const QUESTIONS: Record<PaletteStep['choose'], string> = {
  sync: 'Which sync?',
  connection: 'On which connection?',
  action: 'Which action?',
  integration: 'For which integration?',
};

/** What a step does, and what it asks. */
export const stepTexts = ({ label, step }: PaletteEntry): { title: string; question: string } | undefined =>
  step && {
    title: step.choose === 'connection' ? `${VERB_NAMES[step.verb]} ${step.sync.name}` : label,
    question: QUESTIONS[step.choose],
  };

/** Whether a command can do something with a sync in this state. */
const FITS: Record<SyncVerb, (row: { status: string; scheduleStatus: string }) => boolean> = {
  RUN: ({ status }) => status !== 'RUNNING',
  PAUSE: ({ scheduleStatus }) => scheduleStatus === 'STARTED',
  UNPAUSE: ({ scheduleStatus }) => scheduleStatus === 'PAUSED',
  CANCEL: ({ status }) => status === 'RUNNING',
};

const NOWHERE: Record<SyncVerb, string> = {
  RUN: 'It runs on every connection already, or there is none.',
  PAUSE: 'It is paused on every connection already, or there is none.',
  UNPAUSE: 'It is paused on no connection.',
  CANCEL: 'It runs on no connection now.',
};

interface StepEntries {
  entries: PaletteEntry[];
  /** The answer for the typed text has not arrived yet. */
  isSearching: boolean;
  /** What is said when there is nothing to choose from. */
  none: string;
}

/** What a command that needs a target can act on. */
export function useStepEntries(env: string, step: PaletteStep | undefined, text: string): StepEntries {
  const [typed] = useDebouncedValue(text, TYPED_MS);
  // A new question begins without a text; that of the one before would find nothing.
  const search = text === '' ? '' : typed;
  const integrations = useQuery({ ...integrationChoicesQueryOptions(env), enabled: step?.choose === 'integration' });
  const functions = useFunctionTargets(env, step, search);
  const connections = useConnectionTargets(env, step, search);
  const isTyping = search !== text;
  switch (step?.choose) {
    case 'integration':
      return {
        isSearching: integrations.isPending,
        none: 'This environment has no integration.',
        entries: (integrations.data ?? []).map((row) => ({
          id: `connect:${row.key}`,
          group: 'Integrations',
          label: row.displayName,
          hint: row.key,
          icon: <ProviderLogo provider={row.provider} name={row.displayName} size={20} />,
          to: paths.newConnection(env, row.key),
        })),
      };
    case 'sync':
    case 'action':
      return { ...functions, isSearching: isTyping || functions.isSearching };
    case 'connection':
      return { ...connections, isSearching: isTyping || connections.isSearching };
    case undefined:
      return { entries: [], isSearching: false, none: '' };
  }
}

function useFunctionTargets(env: string, step: PaletteStep | undefined, search: string): StepEntries {
  const { openPlayground } = useShell();
  const type = step?.choose === 'action' ? 'action' : 'sync';
  const isWanted = step?.choose === type;
  // Those that ran last stay in view until the server has found others.
  const latest = useQuery({ ...functionOptionsQueryOptions(env, type, ''), enabled: isWanted });
  const found = useQuery({ ...functionOptionsQueryOptions(env, type, search), enabled: isWanted });
  const entries = (found.data ?? latest.data ?? []).map(({ integrationKey, name, status }): PaletteEntry => {
    const target = { integrationKey, name };
    return {
      id: `choose:${type}:${integrationKey}/${name}`,
      group: type === 'sync' ? 'Syncs' : 'Actions',
      label: name,
      isCode: true,
      hint: integrationKey,
      icon: <IconFunction size={16} stroke={1.6} />,
      aside: status === 'ok' ? undefined : <StatusBadge look={lookOf(FUNCTION_LOOK, status)} />,
      ...(step?.choose === 'sync'
        ? { step: { choose: 'connection', verb: step.verb, sync: target } }
        : { run: () => openPlayground({ kind: 'action', ...target }) }),
    };
  });
  return { entries, isSearching: found.isPending, none: `This environment has no ${type}.` };
}

function useConnectionTargets(env: string, step: PaletteStep | undefined, search: string): StepEntries {
  const order = useSyncActions(SAYS_WHERE);
  const isWanted = step?.choose === 'connection';
  const { sync, verb } = isWanted ? step : { sync: { integrationKey: '', name: '' }, verb: 'RUN' as const };
  const all = { integrationKey: sync.integrationKey, sync: sync.name };
  const first = useQuery({ ...syncConnectionsQueryOptions(env, sync, ''), enabled: isWanted });
  const found = useQuery({ ...syncConnectionsQueryOptions(env, sync, search), enabled: isWanted });
  const named = useQuery({ ...connectionChoicesQueryOptions(env, '', sync.integrationKey), enabled: isWanted }).data;
  const nameOf = (id: string) => named?.find(({ connectionId }) => connectionId === id)?.displayName ?? undefined;
  const { data: rows = [], total = 0 } = found.data ?? first.data ?? {};
  const { icon: Icon } = SYNC_VERBS[verb];
  const every: PaletteEntry = {
    id: `order:${verb}:${sync.integrationKey}/${sync.name}`,
    group: 'All',
    label: 'Every connection',
    hint: first.data?.data.every(({ variant }) => variant === 'base')
      ? formatCount(first.data.total, 'connection')
      : `${formatNumber(first.data?.total ?? 0)} connections and variants`,
    keywords: ['all'],
    icon: <IconStack2 size={16} stroke={1.6} />,
    run: () => order.mutate({ ...all, command: verb }),
  };
  const fitting = rows.filter(FITS[verb]).map(
    ({ connectionId, variant, status }): PaletteEntry => ({
      id: `order:${verb}:${sync.integrationKey}/${sync.name}/${connectionId}/${variant}`,
      group: 'Connections',
      label: nameOf(connectionId) ?? connectionId,
      isCode: nameOf(connectionId) === undefined,
      hint: [variant === 'base' ? [] : variant, nameOf(connectionId) === undefined ? [] : connectionId]
        .flat()
        .join(', '),
      icon: <Icon size={16} stroke={1.6} />,
      aside: <StatusBadge look={lookOf(SYNC_LOOK, status)} />,
      run: () => order.mutate({ ...all, connectionId, variant, command: verb }),
    }),
  );
  return {
    entries: (first.data?.total ?? 0) > 1 ? [every, ...fitting] : fitting,
    isSearching: found.isPending,
    none:
      total > rows.length
        ? `None of the first ${rows.length} connections allows this. Type a part of a connection ID.`
        : NOWHERE[verb],
  };
}
