import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { RecordDestinationPage } from '../../api/contract.ts';
import { recordDestinationQueryOptions } from '../../api/destinations/destinations-queries.ts';
import { useChange } from '../../api/use-change.ts';
import { useEnv } from '../../api/use-env.ts';
import { Fact, FactList } from '../../components/FactList.tsx';
import { FormActions } from '../../components/form/FormActions.tsx';
import { notifyDone } from '../../components/notice/notify.ts';
import { OpenModal } from '../../components/notice/OpenModal.tsx';
import { useConfirm } from '../../components/notice/use-confirm.tsx';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { problemsByField } from '../../lib/api-error.ts';
import { formatCount, formatNumber } from '../../lib/format-number.ts';
import { DESTINATION_KINDS, DESTINATION_LOOKS, waitingWords } from './destination-look.ts';
import { RecordDestinationFields, TestResult } from './RecordDestinationFields.tsx';
import { changeBody, destinationDraftOf } from './record-destination-draft.ts';

/** One destination: its state, the progress of each model, and what can be done. */
export function DestinationDetails({ id, onClose }: { id: string; onClose: () => void }) {
  const { data, error } = useQuery(recordDestinationQueryOptions(useEnv(), id));
  const [part, setPart] = useState<'facts' | 'edit' | 'replay'>('facts');
  const titles = { facts: data?.name ?? 'Destination', edit: `Edit ${data?.name}`, replay: 'Deliver again' };
  return (
    <OpenModal key={part} onClose={onClose} title={titles[part]} size={640}>
      {error && !data && <ErrorPanel error={error} />}
      {data && part === 'facts' && <Facts row={data} onClose={onClose} onOpen={setPart} />}
      {data && part === 'edit' && <Edit row={data} onDone={() => setPart('facts')} />}
      {data && part === 'replay' && <Replay row={data} onDone={() => setPart('facts')} />}
    </OpenModal>
  );
}

interface FactsProps {
  row: RecordDestinationPage;
  onClose: () => void;
  onOpen: (part: 'edit' | 'replay') => void;
}

function Facts({ row, onClose, onOpen }: FactsProps) {
  const params = { destinationId: row.id };
  const pause = useChange('POST /api/v1/record-destinations/:destinationId/pause', { done: 'Destination paused' });
  const resume = useChange('POST /api/v1/record-destinations/:destinationId/resume', { done: 'Destination resumed' });
  const retry = useChange('POST /api/v1/record-destinations/:destinationId/retry');
  const test = useChange('POST /api/v1/record-destinations/:destinationId/test');
  const remove = useChange('DELETE /api/v1/record-destinations/:destinationId', { done: 'Destination deleted' });
  const confirm = useConfirm();
  const isPaused = row.state === 'paused';
  const askDelete = (): void =>
    confirm.ask({
      title: `Delete ${row.name}?`,
      text: 'It gets no more records. What it has stays where it is.',
      action: 'Delete destination',
      run: async () => {
        await remove.mutateAsync({ params });
        onClose();
      },
    });
  return (
    <Stack gap={20}>
      <Group gap={8}>
        {isPaused ? (
          <Button size="xs" loading={resume.isPending} onClick={() => resume.mutate({ params })}>
            Resume
          </Button>
        ) : (
          <Button size="xs" variant="default" loading={pause.isPending} onClick={() => pause.mutate({ params })}>
            Pause
          </Button>
        )}
        {!isPaused && (
          <Button size="xs" variant="default" loading={retry.isPending} onClick={() => retry.mutate({ params })}>
            Retry now
          </Button>
        )}
        <Button size="xs" variant="default" onClick={() => onOpen('replay')}>
          Deliver again…
        </Button>
        <Button size="xs" variant="default" loading={test.isPending} onClick={() => test.mutate({ params })}>
          Test connection
        </Button>
        <Button size="xs" variant="default" onClick={() => onOpen('edit')}>
          Edit
        </Button>
        <Button size="xs" variant="subtle" data-tone="bad" onClick={askDelete}>
          Delete
        </Button>
      </Group>
      {test.data && <TestResult result={test.data} />}
      {row.failure && (
        <div role="alert" className="frame" style={{ padding: '8px 12px' }}>
          <Text size="sm" c="var(--hp-bad)">
            {row.failure.message}
          </Text>
          <p className="soft small">
            Failed {formatCount(row.failure.times, 'time')} in a row, last <RelativeTime at={row.failure.at} />. Next
            attempt <RelativeTime at={row.nextAttemptAt} empty="now" />. The changes wait; none is lost.
          </p>
        </div>
      )}
      <FactList wide>
        <Fact label="State">
          <StatusBadge look={DESTINATION_LOOKS[row.state]} />
        </Fact>
        <Fact label="Waiting">{waitingWords(row)}</Fact>
        <Fact label="Kind">{DESTINATION_KINDS[row.kind]}</Fact>
        <Fact label="Where">
          <code className="breaks">{row.target}</code>
        </Fact>
        {row.schema !== null && (
          <Fact label="Schema">
            <code>{row.schema}</code>
          </Fact>
        )}
        <Fact label="Records">{recordWords(row)}</Fact>
        <Fact label="Delivered">
          {row.deliveredAt === null ? (
            'Nothing yet'
          ) : (
            <>
              {formatNumber(row.delivered)}, last <RelativeTime at={row.deliveredAt} />
            </>
          )}
        </Fact>
      </FactList>
      <Progress row={row} />
      {confirm.dialog}
    </Stack>
  );
}

function recordWords({ connections, integrations, models }: RecordDestinationPage): string {
  const parts = [
    ...(integrations.length > 0 ? [`of ${integrations.join(', ')}`] : []),
    ...(models.length > 0 ? [models.join(', ')] : []),
    ...(connections.length > 0 ? [`connections ${connections.join(', ')}`] : []),
  ];
  return parts.length === 0 ? 'All' : parts.join('; ');
}

function Progress({ row }: { row: RecordDestinationPage }) {
  return (
    <section aria-label="Progress">
      <h3 style={{ margin: '0 0 8px', fontSize: 14 }}>Models</h3>
      {row.progress.length === 0 ? (
        <p className="soft">No synced records yet.</p>
      ) : (
        <div className="scroll">
          <table style={{ width: '100%', borderSpacing: 0 }}>
            <thead>
              <tr className="soft small" style={{ textAlign: 'left' }}>
                <th scope="col" style={HEAD}>
                  Model
                </th>
                <th scope="col" style={{ ...HEAD, textAlign: 'right' }}>
                  Delivered
                </th>
                <th scope="col" style={{ ...HEAD, textAlign: 'right' }}>
                  Waiting
                </th>
              </tr>
            </thead>
            <tbody>
              {row.progress.map((one) => (
                <tr key={`${one.integrationKey} ${one.model}`}>
                  <td style={CELL}>
                    <code className="breaks">
                      {one.integrationKey} / {one.model}
                    </code>
                    <span className="soft small"> {formatCount(one.connections, 'connection')}</span>
                  </td>
                  <td className="numbers" style={{ ...CELL, textAlign: 'right' }}>
                    {formatNumber(one.delivered)}
                  </td>
                  <td className="numbers" style={{ ...CELL, textAlign: 'right' }}>
                    {waitingWords(one)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

const HEAD = { padding: '0 8px 4px 0', fontWeight: 400 };
const CELL = { padding: '6px 8px 6px 0', borderTop: '1px solid var(--hp-line)' };

function Edit({ row, onDone }: { row: RecordDestinationPage; onDone: () => void }) {
  const save = useChange('PATCH /api/v1/record-destinations/:destinationId', { ownError: true });
  const [draft, setDraft] = useState(() => destinationDraftOf(row));
  const problems = problemsByField(save.error);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(
          { params: { destinationId: row.id }, body: changeBody(draft) },
          {
            onSuccess: () => {
              notifyDone('Destination saved');
              onDone();
            },
          },
        );
      }}
    >
      <Stack gap={16}>
        <RecordDestinationFields
          draft={draft}
          problems={problems}
          onChange={(patch) => setDraft({ ...draft, ...patch })}
        />
        <FormActions action="Save" error={problems['whole']} isPending={save.isPending} onCancel={onDone} />
      </Stack>
    </form>
  );
}

function Replay({ row, onDone }: { row: RecordDestinationPage; onDone: () => void }) {
  const replay = useChange('POST /api/v1/record-destinations/:destinationId/replay', { done: 'Delivering again' });
  const [from, setFrom] = useState('');
  const send = (moment: string | null): void =>
    replay.mutate({ params: { destinationId: row.id }, body: { from: moment } }, { onSuccess: onDone });
  return (
    <Stack gap={16}>
      <p className="soft">
        {row.kind === 'postgres'
          ? 'Rows that are there are written again, so nothing doubles. From the beginning, tables that were dropped or changed by hand are made or filled anew.'
          : 'The changes are written once more, in the state that the records have now.'}
      </p>
      <Group gap={8} align="end">
        <TextInput
          type="datetime-local"
          label="Changes since"
          value={from}
          onChange={(event) => setFrom(event.currentTarget.value)}
        />
        <Button disabled={from === ''} loading={replay.isPending} onClick={() => send(new Date(from).toISOString())}>
          Deliver again
        </Button>
      </Group>
      <Group justify="space-between" gap={8}>
        <Button variant="default" loading={replay.isPending} onClick={() => send(null)}>
          Everything from the beginning
        </Button>
        <Button variant="default" onClick={onDone}>
          Cancel
        </Button>
      </Group>
    </Stack>
  );
}
