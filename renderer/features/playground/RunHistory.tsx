import { ActionIcon, Button, Tooltip, UnstyledButton } from '@mantine/core';
import { IconArrowsDiff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { PlaygroundRun } from '../../api/contract.ts';
import { playgroundHistoryQueryOptions } from '../../api/playground/playground-queries.ts';
import { useChange } from '../../api/use-change.ts';
import { useEnv } from '../../api/use-env.ts';
import { useConfirm } from '../../components/notice/use-confirm.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { formatDuration } from '../../lib/format-time.ts';
import { lookOf, OPERATION_LOOK } from '../../lib/status.ts';
import classes from './Playground.module.css';
import { type Draft, runTitle } from './playground-draft.ts';

interface RunHistoryProps {
  draft: Draft;
  current: string | null;
  onChoose: (run: PlaygroundRun) => void;
  /** Compares the result with that of the current run. */
  onCompare: (run: PlaygroundRun) => void;
}

/** Earlier runs, of the chosen function or of all; choosing one restores its input and shows its outcome. */
export function RunHistory({ draft, current, onChoose, onCompare }: RunHistoryProps) {
  const env = useEnv();
  const isOfFunction = draft.name !== '' && ['action', 'sync', 'event'].includes(draft.kind);
  const of = isOfFunction ? { integration: draft.integrationKey, name: draft.name } : {};
  const { data } = useQuery(playgroundHistoryQueryOptions(env, of));
  const remove = useChange('DELETE /api/v1/playground/runs', { ownError: true });
  const confirm = useConfirm();
  const clear = (): void =>
    confirm.ask({
      title: 'Clear the history?',
      text: 'The runs of the playground in this environment are deleted, with their inputs and results. Their logs stay, and so do saved requests.',
      action: 'Clear history',
      run: () => remove.mutateAsync(),
    });
  if (!data || data.length === 0) return confirm.dialog;
  return (
    <section className={classes['history']} aria-label="History">
      <h2>
        History{' '}
        <span className="faint">{isOfFunction ? `of ${draft.name}` : 'of this environment, the last 50 runs'}</span>
        <Button style={{ float: 'right' }} size="compact-xs" variant="subtle" onClick={clear}>
          Clear history
        </Button>
      </h2>
      <ul className="scroll">
        {data.map((run) => (
          <li className="grid gap-4 line-above middle" key={run.id} aria-label={runTitle(run)}>
            <UnstyledButton
              className={`hovers grid gap-12 full middle ${classes['past']}`}
              aria-current={run.id === current || undefined}
              onClick={() => onChoose(run)}
            >
              <StatusBadge look={lookOf(OPERATION_LOOK, run.state)} />
              <code className="cut">{runTitle(run)}</code>
              <span className="cut soft">{run.request.connectionId}</span>
              <span className="rigid soft small numbers">
                {run.durationMs === null ? '' : formatDuration(run.durationMs)}
              </span>
              <span className="rigid soft small numbers">
                <RelativeTime at={run.startedAt} />
              </span>
            </UnstyledButton>
            {current !== null && run.id !== current && run.state !== 'running' && (
              <Tooltip label="Compare with the result above">
                <ActionIcon size={28} aria-label="Compare with the result above" onClick={() => onCompare(run)}>
                  <IconArrowsDiff size={16} stroke={1.6} aria-hidden />
                </ActionIcon>
              </Tooltip>
            )}
          </li>
        ))}
      </ul>
      {confirm.dialog}
    </section>
  );
}
