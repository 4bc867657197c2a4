import { Anchor, Box, Button, Group, TextInput } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { Link } from 'react-router';
import { useCreateVariant, useDeleteVariant, useUpdateSync } from '../../api/connections/sync-mutations.ts';
import { useNextRuns } from '../../api/connections/use-next-runs.ts';
import { useSyncActions } from '../../api/connections/use-sync-actions.ts';
import type { ConnectionDetail, SyncListItem } from '../../api/contract.ts';
import { OWN_ERROR } from '../../api/use-change.ts';
import { useEnv } from '../../api/use-env.ts';
import { firstClick } from '../../components/form/first-click.ts';
import { EditArea, EditButton } from '../../components/form/InlineEdit.tsx';
import { useUnsaved } from '../../components/form/unsaved-context.ts';
import { FrequencyInput } from '../../components/function/FrequencyInput.tsx';
import { useOperationLink } from '../../components/function/use-operation-link.ts';
import { notifyDone } from '../../components/notice/notify.ts';
import { notifyDeleted } from '../../components/notice/notify-undoable.ts';
import { useConfirm } from '../../components/notice/use-confirm.tsx';
import { Banner } from '../../components/page/Banner.tsx';
import { panelPage } from '../../components/page/panel-page.ts';
import { PANELS } from '../../components/page/panel-width.ts';
import { Section } from '../../components/page/Section.tsx';
import { SidePanel } from '../../components/page/SidePanel.tsx';
import { useUrlState } from '../../components/page/use-url-state.ts';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Tag } from '../../components/tag/Tag.tsx';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { useNow } from '../../components/time/use-now.ts';
import { useFocusAfter } from '../../components/use-focus-after.ts';
import { describeError } from '../../lib/api-error.ts';
import { formatCount, formatNumber } from '../../lib/format-number.ts';
import { formatDuration, formatFrequency } from '../../lib/format-time.ts';
import { paths } from '../../lib/paths.ts';
import { lookOf, OPERATION_LOOK, SYNC_LOOK } from '../../lib/status.ts';
import { CheckpointEditor } from './CheckpointEditor.tsx';
import classes from './SyncPanel.module.css';
import { failedReasonOf, failedRunOf, progressOf, SyncBars } from './sync-columns.tsx';
import { usePartEditor } from './use-part-editor.ts';

interface SyncPanelProps {
  sync: SyncListItem;
  connection: ConnectionDetail;
  onClose: () => void;
  onStep: (step: 1 | -1) => void;
}

/** One sync of the connection: its last runs, its schedule, and its checkpoint. */
export function SyncPanel({ sync, connection, onClose, onStep }: SyncPanelProps) {
  const env = useEnv();
  const url = useUrlState();
  const reference = { integrationKey: connection.integrationKey, type: 'sync' as const, name: sync.name };
  return (
    <SidePanel
      width={PANELS.sync}
      label={`Sync ${sync.name}`}
      title={
        <span className="row">
          <code className="name cut">{sync.name}</code>
          {sync.variant !== 'base' && <Tag>{sync.variant}</Tag>}
          <StatusBadge look={lookOf(SYNC_LOOK, sync.status)} soft />
        </span>
      }
      onClose={onClose}
      onStep={onStep}
      page={panelPage(url)}
      footer={
        <Anchor component={Link} to={paths.function(env, reference)} fz="sm">
          Open the function
        </Anchor>
      }
    >
      <Box px="var(--hp-gutter)" pt={16}>
        <Runs sync={sync} connection={connection} />
        <Schedule sync={sync} connection={connection} />
        <CheckpointEditor sync={sync} connection={connection} />
        <Variants sync={sync} connection={connection} />
      </Box>
    </SidePanel>
  );
}

interface PartProps {
  sync: SyncListItem;
  connection: ConnectionDetail;
}

const connectionRef = ({ integrationKey, connectionId }: ConnectionDetail) => ({ integrationKey, connectionId });

const SHOWN_RUNS = 5;
const STATES = { RUNNING: 'running', SUCCESS: 'success', STOPPED: 'failed', CANCELLED: 'cancelled' } as const;

function Runs({ sync, connection }: PartProps) {
  const operationLink = useOperationLink();
  const now = useNow();
  const actions = useSyncActions();
  const order = (command: 'RUN' | 'CANCEL'): void =>
    actions.mutate({ ...connectionRef(connection), sync: sync.name, variant: sync.variant, command });
  const isRunning = sync.status === 'RUNNING';
  const failed = failedRunOf(sync);
  const ended = sync.recentRuns.filter(({ status }) => status !== 'CANCELLED');
  const inARow = ended.length - 1 - ended.findLastIndex(({ status }) => status !== 'STOPPED');
  const latest = [...sync.recentRuns].reverse().slice(0, SHOWN_RUNS);
  return (
    <Section
      title="Runs"
      aside={
        isRunning ? (
          <Button size="xs" variant="default" onClick={firstClick(() => order('CANCEL'))}>
            Cancel run
          </Button>
        ) : (
          <Button
            size="xs"
            variant={failed ? 'filled' : 'default'}
            leftSection={<IconPlayerPlay size={14} stroke={1.6} />}
            onClick={firstClick(() => order('RUN'))}
          >
            {failed ? 'Run again' : 'Run now'}
          </Button>
        )
      }
    >
      {isRunning && <p role="status">{progressOf(sync, now)}</p>}
      {failed && (
        <Banner
          tone="bad"
          actions={
            <Button size="xs" variant="default" component={Link} to={operationLink(failed.operationId)}>
              Open log
            </Button>
          }
        >
          <b>{(failedReasonOf(sync, connection.integrationName) ?? 'The last run failed').replace(/[^.!?]$/, '$&.')}</b>{' '}
          {inARow > 1 && `${inARow} failed runs in a row. `}
          Saved records are kept.
        </Banner>
      )}
      <div className="pt-8 pb-8">
        <SyncBars row={sync} height={36} />
      </div>
      {latest.length === 0 && <p className="faint">No run yet.</p>}
      <ol className={classes['runs']}>
        {latest.map((run) => (
          <li className="grid gap-8 small middle" key={run.operationId}>
            <StatusBadge look={lookOf(OPERATION_LOOK, STATES[run.status])} />
            <span className="faint">{run.changed === 0 ? 'No changes' : `${formatNumber(run.changed)} changed`}</span>
            <span className="faint">{run.durationMs === null ? '' : formatDuration(run.durationMs)}</span>
            <Link to={operationLink(run.operationId)}>
              <span className="visually-hidden">Log of the run, </span>
              <RelativeTime at={run.startedAt} />
            </Link>
          </li>
        ))}
      </ol>
    </Section>
  );
}

function Schedule({ sync, connection }: PartProps) {
  const update = useUpdateSync(connection, OWN_ERROR);
  const restore = useUpdateSync(connection, { done: 'Back to the frequency of the function' });
  const actions = useSyncActions();
  const { name, variant, frequency } = sync;
  const address = { sync: name, variant };
  const stored = frequency ?? '';
  const { draft, error, isDirty, editButton, start, change, save, close } = usePartEditor({
    part: 'Frequency',
    section: `Frequency of ${name}`,
    stored,
    differs: (text, base) => text.trim() !== base,
    problemOf: (text) => (text.trim() === '' ? 'Enter a frequency.' : undefined),
    send: (text, callbacks) => update.mutate({ ...address, frequency: text.trim() }, callbacks),
  });
  const next = useNextRuns(connection, sync, draft?.trim() ?? '');
  const isPaused = sync.scheduleStatus === 'PAUSED';
  const hasSchedule = sync.scheduleStatus !== 'STOPPED';
  const restoreFrequency = (): void => restore.mutate({ ...address, frequency: null });
  const toggle = (): void =>
    actions.mutate({ ...connectionRef(connection), ...address, command: isPaused ? 'UNPAUSE' : 'PAUSE' });
  return (
    <Section
      title="Schedule"
      aside={
        hasSchedule && (
          <Button size="xs" variant="default" onClick={toggle}>
            {isPaused ? 'Resume schedule' : 'Pause schedule'}
          </Button>
        )
      }
    >
      <p>
        {!hasSchedule && 'Stopped: it has no schedule and runs on request only. A frequency gives it one.'}
        {hasSchedule && (frequency ? `Runs ${formatFrequency(frequency)}, ` : 'Runs on request only, ')}
        {hasSchedule && isPaused && 'paused now.'}
        {hasSchedule && !isPaused && (
          <>
            next <RelativeTime at={sync.nextRunAt} isStart />.
          </>
        )}
        {sync.hasOwnFrequency && ' This connection has a frequency of its own.'}
      </p>
      {draft === undefined ? (
        <Group gap={8} pt={8}>
          <EditButton ref={editButton} onClick={start}>
            Change frequency
          </EditButton>
          {sync.hasOwnFrequency && (
            <Button size="xs" variant="subtle" onClick={restoreFrequency}>
              Use the function's
            </Button>
          )}
        </Group>
      ) : (
        <EditArea section={`Frequency of ${name}`} isDirty={isDirty} onSave={save} onCancel={close}>
          <form
            className="pt-8"
            onSubmit={(event) => {
              event.preventDefault();
              save();
            }}
          >
            <FrequencyInput
              label="Frequency for this connection"
              value={draft}
              error={error}
              next={next}
              nextLabel="Next runs"
              onChange={change}
            />
            <Group gap={8} pt={8}>
              <Button size="xs" type="submit" loading={update.isPending} disabled={!isDirty}>
                Save frequency
              </Button>
              <Button size="xs" variant="subtle" onClick={close}>
                Cancel
              </Button>
            </Group>
          </form>
        </EditArea>
      )}
    </Section>
  );
}

const VARIANT = /^[a-zA-Z0-9_-]{1,255}$/;

function Variants({ sync, connection }: PartProps) {
  const [draft, setDraft] = useState<string>();
  const [error, setError] = useState<string>();
  const create = useCreateVariant(connection);
  const remove = useDeleteVariant(connection);
  const confirm = useConfirm();
  const addButton = useRef<HTMLButtonElement>(null);
  useFocusAfter(draft !== undefined, () => addButton.current);
  useUnsaved(`New variant of ${sync.name}`, draft !== undefined && draft.trim() !== '');
  const records = Object.values(sync.recordCount).reduce((sum, count) => sum + count, 0);
  if (sync.variant !== 'base') {
    const ask = (): void =>
      confirm.ask({
        title: `Delete the variant ${sync.variant}?`,
        text: `Its schedule, checkpoint and ${formatCount(records, 'record')} are deleted. The other variants of ${sync.name} stay.`,
        action: 'Delete variant',
        run: async () => {
          const takeBack = await remove.mutateAsync({ sync: sync.name, variant: sync.variant });
          notifyDeleted(`Variant${takeBack ? ` ${sync.variant}` : ''}`, takeBack);
        },
      });
    return (
      <Section title="Variant">
        <p className="soft">A copy of {sync.name} with a schedule, checkpoint and records of its own.</p>
        <Button size="xs" variant="subtle" data-tone="bad" ml={-10} onClick={ask}>
          Delete variant…
        </Button>
        {confirm.dialog}
      </Section>
    );
  }
  const save = (): void => {
    const variant = (draft ?? '').trim();
    if (!VARIANT.test(variant)) return setError('Use letters, digits, _ and -.');
    create.mutate(
      { sync: sync.name, variant },
      {
        onSuccess: () => {
          setDraft(undefined);
          notifyDone(`Variant ${variant} created`);
        },
        onError: (failure) => setError(describeError(failure).message),
      },
    );
  };
  return (
    <Section title="Variants">
      {draft === undefined ? (
        <>
          <p className="soft">A variant is a copy with a schedule, checkpoint and records of its own.</p>
          <Button ref={addButton} size="xs" variant="default" mt={8} onClick={() => setDraft('')}>
            Add variant
          </Button>
        </>
      ) : (
        <EditArea
          section={`New variant of ${sync.name}`}
          isDirty={draft.trim() !== ''}
          onSave={save}
          onCancel={() => setDraft(undefined)}
        >
          <form
            className="pt-8"
            onSubmit={(event) => {
              event.preventDefault();
              save();
            }}
          >
            <TextInput
              label="Name of the variant"
              value={draft}
              error={error}
              autoFocus
              spellCheck={false}
              onChange={(event) => {
                setError(undefined);
                setDraft(event.currentTarget.value);
              }}
            />
            <Group gap={8} pt={8}>
              <Button size="xs" type="submit" loading={create.isPending}>
                Create variant
              </Button>
              <Button size="xs" variant="subtle" onClick={() => setDraft(undefined)}>
                Cancel
              </Button>
            </Group>
          </form>
        </EditArea>
      )}
    </Section>
  );
}
