import {
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerStop,
  IconPlayerTrackNext,
  IconPlus,
  IconTerminal2,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ComponentType } from 'react';
import { metaQueryOptions } from '../../api/hub/hub-queries.ts';
import { usePauseSchedules, useResumeSchedules } from '../../api/hub/schedule-mutations.ts';
import type { PaletteEntry, PaletteStep, SyncVerb } from './palette-entry.ts';

type Icon = ComponentType<{ size: number; stroke: number }>;

/** Icon and further search words of what can be done with a sync. */
export const SYNC_VERBS: Record<SyncVerb, { icon: Icon; words: readonly string[] }> = {
  RUN: { icon: IconPlayerPlay, words: ['run', 'start', 'sync now', 'run now', 'trigger', 'execute', 'fetch'] },
  PAUSE: { icon: IconPlayerPause, words: ['pause', 'stop', 'halt', 'hold', 'suspend', 'disable'] },
  UNPAUSE: { icon: IconPlayerTrackNext, words: ['resume', 'continue', 'unpause', 'restart', 'start'] },
  CANCEL: { icon: IconPlayerStop, words: ['cancel', 'abort', 'kill', 'stop', 'end'] },
};

const STEPS: ReadonlyArray<{ label: string; step: PaletteStep; icon: Icon; keywords: readonly string[] }> = [
  {
    label: 'Run a sync…',
    step: { choose: 'sync', verb: 'RUN' },
    icon: IconPlayerPlay,
    keywords: [...SYNC_VERBS.RUN.words, 'run sync', 'start sync', 'trigger sync'],
  },
  {
    label: 'Pause a sync…',
    step: { choose: 'sync', verb: 'PAUSE' },
    icon: IconPlayerPause,
    keywords: [...SYNC_VERBS.PAUSE.words, 'pause sync', 'stop sync', 'halt sync'],
  },
  {
    label: 'Resume a sync…',
    step: { choose: 'sync', verb: 'UNPAUSE' },
    icon: IconPlayerTrackNext,
    keywords: [...SYNC_VERBS.UNPAUSE.words, 'resume sync', 'start sync', 'unpause sync'],
  },
  {
    label: 'Cancel the run of a sync…',
    step: { choose: 'sync', verb: 'CANCEL' },
    icon: IconPlayerStop,
    keywords: [...SYNC_VERBS.CANCEL.words, 'cancel run', 'stop run', 'abort run'],
  },
  {
    label: 'Trigger an action…',
    step: { choose: 'action' },
    icon: IconTerminal2,
    keywords: ['run action', 'call action', 'execute action', 'invoke', 'try action', 'test action'],
  },
  {
    label: 'New connection for…',
    step: { choose: 'integration' },
    icon: IconPlus,
    keywords: ['connect', 'create connection', 'add connection', 'add account', 'authorize', 'sign in'],
  },
];

const entryOf = ({ icon: Icon, ...entry }: Omit<PaletteEntry, 'group' | 'icon'> & { icon: Icon }): PaletteEntry => ({
  ...entry,
  group: 'Actions',
  icon: <Icon size={16} stroke={1.6} />,
});

/** Commands of the whole hub, and those that ask what they act on. */
export function useVerbEntries(): PaletteEntry[] {
  const isPaused = Boolean(useQuery(metaQueryOptions()).data?.health.pausedSchedules);
  const pause = usePauseSchedules({ done: 'All schedules are paused until you start them again' });
  const resume = useResumeSchedules({
    done: isPaused
      ? 'Schedules run again; syncs that are due start now'
      : 'Schedules were not paused: syncs run as planned',
  });
  return [
    entryOf({
      id: 'pause-all',
      label: 'Pause all syncs',
      hint: 'Every environment, until you start them again',
      keywords: ['stop', 'stop all syncs', 'halt', 'halt all syncs', 'hold everything', 'pause schedules', 'suspend'],
      icon: IconPlayerPause,
      isQuiet: isPaused,
      run: () => pause.mutate(null),
    }),
    entryOf({
      id: 'start-all',
      label: 'Start all syncs',
      hint: isPaused ? 'Schedules are paused now' : 'Ends a pause of all schedules',
      keywords: ['resume', 'resume all syncs', 'continue', 'unpause all', 'start schedules', 'resume schedules'],
      icon: IconPlayerTrackNext,
      isQuiet: !isPaused,
      run: () => resume.mutate(),
    }),
    ...STEPS.map(({ label, ...entry }) => entryOf({ ...entry, id: `step:${label}`, label, isQuiet: true })),
  ];
}
