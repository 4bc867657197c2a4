import { Button, Group, SegmentedControl } from '@mantine/core';
import { useNetwork } from '@mantine/hooks';
import { IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from 'react';
import type { ConnectionRef } from '../../api/connections/connections-queries.ts';
import type { PlaygroundRun } from '../../api/contract.ts';
import { functionQueryOptions } from '../../api/functions/functions-queries.ts';
import { useCancelPlaygroundRun, useStartRun } from '../../api/playground/playground-mutations.ts';
import { playgroundRunQueryOptions } from '../../api/playground/playground-queries.ts';
import { useEnv, useIsProduction } from '../../api/use-env.ts';
import { useConfirm } from '../../components/notice/use-confirm.tsx';
import type { PlaygroundTarget } from '../../components/shell-context.ts';
import { useCommands } from '../../components/use-commands.ts';
import { formatCount } from '../../lib/format-number.ts';
import { KEY_MAP } from '../../lib/key-map.ts';
import { modifierKey } from '../../lib/platform.ts';
import { findProblems } from '../../lib/schema-form.ts';
import { isOverlayOpen } from '../../lib/shortcuts.ts';
import { readTabValue, writeTabValue } from '../../lib/stored.ts';
import { ConnectionField } from './ConnectionField.tsx';
import classes from './Playground.module.css';
import { PlaygroundOutcome } from './PlaygroundOutcome.tsx';
import {
  type Draft,
  draftFor,
  draftOf,
  EMPTY_DRAFT,
  isRunOf,
  type Kind,
  type LeftInputs,
  leaveInput,
  readJsonText,
  requestOf,
  withoutContents,
} from './playground-draft.ts';
import { RunHistory } from './RunHistory.tsx';
import { SavedInputs } from './SavedInputs.tsx';
import { TargetFields } from './TargetFields.tsx';

const SavedRequests = lazy(async () => ({ default: (await import('./SavedRequests.tsx')).SavedRequests }));

const KINDS: Array<{ value: Kind; label: string }> = [
  { value: 'action', label: 'Action' },
  { value: 'sync', label: 'Sync' },
  { value: 'proxy', label: 'API call' },
  { value: 'records', label: 'Records' },
  { value: 'webhook', label: 'Webhook' },
  { value: 'event', label: 'Event' },
];

const OFFLINE = 'Offline: only providers on this computer answer.';

interface Kept {
  draft: Draft;
  runId: string | null;
  left: LeftInputs;
}

/** The state of a tab: it survives a reload, after which its run is found again. */
function useKept(
  env: string,
  { runId, ...target }: PlaygroundTarget,
): [Kept, (change: Partial<Omit<Kept, 'left'>>) => void] {
  const name = `playground.${env}`;
  const isProduction = useIsProduction();
  const [kept, setKept] = useState((): Kept => {
    const stored = readTabValue<Partial<Kept>>(name, {});
    const ownMode = isProduction ? 'dry' : 'live';
    const old = { ...EMPTY_DRAFT, mode: ownMode, ...stored.draft } as const;
    return {
      runId: runId ?? stored.runId ?? null,
      ...leaveInput(stored.left ?? {}, old, draftFor(old, target, ownMode)),
    };
  });
  // Contents of files are too large for what a tab may store.
  useEffect(() => void writeTabValue(name, { ...kept, draft: withoutContents(kept.draft) }), [name, kept]);
  const keep = useCallback(
    (change: Partial<Omit<Kept, 'left'>>): void =>
      setKept((old) => ({
        ...old,
        ...change,
        ...(change.draft ? leaveInput(old.left, old.draft, change.draft) : {}),
      })),
    [],
  );
  return [kept, keep];
}

const READING = 'The schema of the input is being read.';

/** How many values of an action's input do not fit its schema; 0 for everything else. */
function useInputFaults({ kind, integrationKey, mode, name, input }: Draft): { faults: number; isReading: boolean } {
  const env = useEnv();
  const isAction = kind === 'action' && name !== '' && mode !== 'replay';
  const { data, isLoading } = useQuery({
    ...functionQueryOptions(env, { integrationKey, type: 'action', name }),
    enabled: isAction,
  });
  const read = readJsonText(input);
  if (!isAction || !data?.inputSchema || 'problem' in read) return { faults: 0, isReading: isLoading };
  return { faults: findProblems(data.inputSchema, read.value).length, isReading: false };
}

const faultText = (count: number): string =>
  `${formatCount(count, 'value')} of the input ${count === 1 ? 'does' : 'do'} not fit the schema.`;

interface PlaygroundProps {
  target: PlaygroundTarget;
  /** It is the screen and not a sheet beside one: its keys work wherever the focus is. */
  isPage?: boolean;
}

/** Runs one thing and shows the result: as a page, and as a sheet beside any screen (ui.md 6.12). */
export function Playground({ target, isPage = false }: PlaygroundProps) {
  const env = useEnv();
  const [{ draft, runId }, keep] = useKept(env, target);
  const start = useStartRun();
  const run = useQuery(playgroundRunQueryOptions(env, runId ?? undefined)).data;
  const wanted = useRef(target.runId);
  // A run that another screen opened comes with what it ran.
  useEffect(() => {
    if (!run || run.id !== wanted.current) return;
    wanted.current = undefined;
    keep({ draft: draftOf(run.request) });
  }, [run, keep]);
  const cancel = useCancelPlaygroundRun(runId ?? '');
  const { online } = useNetwork();
  const [isAsked, setAsked] = useState(false);
  const [other, setOther] = useState<PlaygroundRun>();
  /** Functions of the kinds that are not shown, kept for the way back. */
  const [left, setLeft] = useState<Partial<Record<Kind, Pick<Draft, 'integrationKey' | 'name'>>>>({});
  const made = requestOf(draft);
  const { faults, isReading } = useInputFaults(draft);
  const problem =
    'problem' in made ? made.problem : isReading ? READING : isAsked && faults > 0 ? faultText(faults) : undefined;
  const isRunning = run?.state === 'running';
  const change = (patch: Partial<Draft>): void => {
    // The marks at the fields stay while the input is corrected.
    if (!('input' in patch) || 'name' in patch) setAsked(false);
    keep({ draft: { ...draft, ...patch } });
  };
  const turnTo = (kind: Kind): void => {
    const { integrationKey, name } = draft;
    setLeft({ ...left, [draft.kind]: { integrationKey, name } });
    const before = left[kind]?.integrationKey === integrationKey ? left[kind] : undefined;
    change({ kind, name: before?.name ?? '', input: '' });
  };
  const confirm = useConfirm();
  const chooseConnection = (chosen: ConnectionRef): void => {
    if (chosen.integrationKey === draft.integrationKey) return change({ ...chosen, cursor: '' });
    const take = (): void => change({ ...chosen, cursor: '', name: '', input: '', webhookId: '', model: '' });
    const lost = draft.input.trim() === '' ? undefined : draft.name;
    if (lost === undefined) return take();
    confirm.ask({
      title: `Leave ${lost}?`,
      text: `The connection belongs to another integration, which has no ${lost}. Its input is kept for when you choose ${lost} again.`,
      action: 'Change the integration',
      isHarmless: true,
      run: async () => take(),
    });
  };
  const begin = (of: Draft = draft, isAnyway = false): void => {
    setAsked(true);
    const ready = requestOf(of);
    if ('problem' in ready || isReading || isRunning || start.isPending) return;
    if (faults > 0 && !isAnyway) return setRefused((count) => count + 1);
    start.mutate(ready.request, {
      onSuccess: ({ id }) => keep({ runId: id }),
    });
  };
  const stop = (): void => cancel.mutate();
  const form = useRef<HTMLFormElement>(null);
  const whole = useRef<HTMLDivElement>(null);
  const [refused, setRefused] = useState(0);
  useEffect(() => {
    if (refused > 0) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [refused]);
  useCommands([
    { ...KEY_MAP.run, within: () => whole.current, run: () => begin() },
    // A dialog over the page has its own keys.
    ...(isPage ? [{ ...KEY_MAP.run, run: () => !isOverlayOpen() && begin() }] : []),
    ...(isRunning ? [{ ...KEY_MAP.cancelRun, run: stop }] : []),
  ]);
  return (
    <div ref={whole} className="stack gap-16" style={{ container: 'playground / inline-size' }}>
      <div className={`grid gap-16 ${classes['columns']}`}>
        <form
          ref={form}
          className={classes['form']}
          aria-label="What to run"
          onSubmit={(event) => {
            event.preventDefault();
            begin();
          }}
        >
          <SegmentedControl
            className={classes['kinds'] ?? ''}
            size="xs"
            aria-label="What to run"
            data={KINDS}
            value={draft.kind}
            onChange={(next) => turnTo(next as Kind)}
          />
          <ConnectionField connection={draft} onChoose={chooseConnection} />
          <TargetFields draft={draft} marksMissing={isAsked} onChange={change} />
          <Group gap={8}>
            <Button
              type="submit"
              loading={start.isPending}
              disabled={isRunning}
              leftSection={<IconPlayerPlay size={14} stroke={1.6} aria-hidden />}
            >
              {run && isRunOf(run, draft) ? 'Run again' : 'Run'}
            </Button>
            {isAsked && faults > 0 && !isRunning && 'request' in made && (
              <Button variant="default" onClick={() => begin(draft, true)}>
                Run anyway
              </Button>
            )}
            {isRunning && (
              <Button
                variant="default"
                loading={cancel.isPending}
                leftSection={<IconPlayerStop size={14} stroke={1.6} aria-hidden />}
                onClick={stop}
              >
                Cancel
              </Button>
            )}
            <span
              className={`small ${isAsked && problem ? 'bad' : 'soft'}`}
              role={isAsked && problem ? 'alert' : undefined}
            >
              {problem ?? (isRunning ? 'A run is in progress.' : online ? `${modifierKey()} Enter` : OFFLINE)}
            </span>
            <Group gap={4} wrap="nowrap" ml="auto" flex="none">
              <SavedInputs draft={draft} onChange={change} />
            </Group>
          </Group>
        </form>
        <PlaygroundOutcome
          run={run}
          draft={draft}
          onNextPage={(cursor) => {
            const next = { ...draft, cursor };
            keep({ draft: next });
            begin(next);
          }}
          other={other?.id === run?.id ? undefined : other}
          onCloseOther={() => setOther(undefined)}
        />
      </div>
      {draft.kind === 'proxy' && (
        <Suspense fallback={null}>
          <SavedRequests draft={draft} onChoose={(chosen) => keep({ draft: chosen })} />
        </Suspense>
      )}
      <RunHistory
        draft={draft}
        current={runId}
        onCompare={setOther}
        onChoose={(chosen) => keep({ draft: { ...draftOf(chosen.request) }, runId: chosen.id })}
      />
      {confirm.dialog}
    </div>
  );
}
