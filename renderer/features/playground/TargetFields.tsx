import { SegmentedControl, Select, Switch, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { functionQueryOptions } from '../../api/functions/functions-queries.ts';
import {
  replayableWebhooksQueryOptions,
  runnableFunctionsQueryOptions,
} from '../../api/playground/playground-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { CodeInput } from '../../components/form/CodeInput.tsx';
import { PartLoading } from '../../components/page/PartLoading.tsx';
import { formatDateTime } from '../../lib/format-time.ts';
import { InputEditor } from './InputEditor.tsx';
import type { Draft } from './playground-draft.ts';
import { RecordsFields } from './RecordsFields.tsx';

const RequestFields = lazy(async () => ({ default: (await import('./RequestFields.tsx')).RequestFields }));

interface TargetFieldsProps {
  draft: Draft;
  /** Whether missing values of the input are marked. */
  marksMissing: boolean;
  onChange: (patch: Partial<Draft>) => void;
}

/** The fields of each kind of run beside its connection. */
export function TargetFields(props: TargetFieldsProps) {
  if (props.draft.kind === 'proxy')
    return (
      <Suspense fallback={<PartLoading />}>
        <RequestFields {...props} />
      </Suspense>
    );
  if (props.draft.kind === 'webhook') return <WebhookField {...props} />;
  if (props.draft.kind === 'records') return <RecordsFields {...props} />;
  return <FunctionFields {...props} kind={props.draft.kind} />;
}

/** The label of each kind of function, and of its field. */
const FUNCTION_KINDS = {
  action: { type: 'action', label: 'Action', choose: 'Choose an action', none: 'This integration has no action.' },
  sync: { type: 'sync', label: 'Sync', choose: 'Choose a sync', none: 'This integration has no sync.' },
  event: {
    type: 'on-event',
    label: 'Event handler',
    choose: 'Choose an event handler',
    none: 'This integration has no event handler.',
  },
} as const;

function FunctionFields({
  draft,
  marksMissing,
  onChange,
  kind,
}: TargetFieldsProps & { kind: keyof typeof FUNCTION_KINDS }) {
  const env = useEnv();
  const { integrationKey, name } = draft;
  const { type, label, choose, none } = FUNCTION_KINDS[kind];
  const functions = useQuery(runnableFunctionsQueryOptions(env, integrationKey, type)).data;
  const choices = (functions ?? []).map((row) => row.name);
  return (
    <>
      <Select
        label={label}
        placeholder={integrationKey === '' ? 'Choose a connection first' : choose}
        searchable
        disabled={integrationKey === ''}
        nothingFoundMessage={none}
        data={name === '' || choices.includes(name) ? choices : [...choices, name]}
        value={name === '' ? null : name}
        onChange={(next) => onChange({ name: next ?? '', input: '' })}
      />
      {kind === 'event' && (
        <p className="soft note">
          Runs the handler alone, for the chosen connection. No connection is created or deleted.
        </p>
      )}
      {kind !== 'event' && <ModeField {...{ draft, marksMissing, onChange, kind }} />}
      {kind === 'action' && name !== '' && draft.mode !== 'replay' && (
        <ActionInput key={`${integrationKey}/${name}`} {...{ draft, marksMissing, onChange }} />
      )}
      {kind === 'sync' && draft.mode !== 'replay' && (
        <CodeInput
          label="Variant"
          value={draft.variant}
          onChange={(event) => onChange({ variant: event.currentTarget.value })}
        />
      )}
      {kind === 'sync' && draft.mode === 'live' && (
        <Switch
          label="From the beginning"
          description="Clears the last date and the checkpoint first."
          checked={draft.isFull}
          onChange={(event) => onChange({ isFull: event.currentTarget.checked })}
        />
      )}
      {kind === 'sync' && draft.mode === 'dry' && (
        <>
          <JsonField
            label="Metadata"
            description="Replaces the level of the connection. If empty, the connection’s level applies."
            value={draft.metadata}
            onChange={(metadata) => onChange({ metadata })}
          />
          <JsonField
            label="Checkpoint"
            description="Where the run begins. If empty, at the start."
            value={draft.checkpoint}
            onChange={(checkpoint) => onChange({ checkpoint })}
          />
        </>
      )}
    </>
  );
}

const MODE_TEXTS: Partial<Record<Draft['mode'], string>> = {
  dry: 'Requests reach the provider. Nothing is stored here.',
  replay: 'Runs over the saved fixture, with its input and without a network. Nothing is stored.',
};

function ModeField({ draft, onChange, kind }: TargetFieldsProps & { kind: 'action' | 'sync' }) {
  return (
    <div className="row wrap" style={{ gap: '4px 12px' }}>
      <SegmentedControl
        size="xs"
        aria-label="Mode"
        data={[
          { value: 'live', label: 'Live' },
          { value: 'dry', label: 'Dry run' },
          { value: 'replay', label: 'Replay' },
        ]}
        value={draft.mode}
        onChange={(mode) => onChange({ mode: mode as Draft['mode'] })}
      />
      <p className="soft note">
        {MODE_TEXTS[draft.mode] ??
          (kind === 'sync'
            ? 'Runs as the schedule would and stores its records.'
            : 'Runs as a call of your app would.')}
      </p>
    </div>
  );
}

function ActionInput({ draft, marksMissing, onChange }: TargetFieldsProps) {
  const env = useEnv();
  const { integrationKey, name } = draft;
  const { data } = useQuery(functionQueryOptions(env, { integrationKey, type: 'action', name }));
  if (!data) return null;
  return (
    <InputEditor
      schema={data.inputSchema}
      text={draft.input}
      marksMissing={marksMissing}
      onChange={(input) => onChange({ input })}
    />
  );
}

function JsonField({
  label,
  description,
  value,
  onChange,
}: {
  label: string;
  description: string;
  value: string;
  onChange: (text: string) => void;
}) {
  return (
    <Textarea
      label={label}
      description={description}
      value={value}
      autosize
      minRows={2}
      maxRows={12}
      spellCheck={false}
      classNames={{ input: 'mono' }}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function WebhookField({ draft, onChange }: TargetFieldsProps) {
  const env = useEnv();
  const webhooks = useQuery(replayableWebhooksQueryOptions(env, draft.integrationKey)).data;
  const options = (webhooks ?? []).map((row) => ({
    value: row.id,
    label: `${row.eventTypes.join(', ') || `${row.method} ${row.path}`}, ${formatDateTime(row.receivedAt)}`,
  }));
  const isKnown = draft.webhookId === '' || options.some(({ value }) => value === draft.webhookId);
  return (
    <Select
      label="Webhook"
      description={
        draft.integrationKey !== '' && webhooks?.length === 0
          ? 'No webhook of this integration is kept. It appears here once the provider sent one.'
          : 'Replayed for this connection; its signature is not checked again.'
      }
      placeholder={draft.integrationKey === '' ? 'Choose a connection first' : 'Choose a webhook'}
      disabled={draft.integrationKey === ''}
      data={isKnown ? options : [...options, { value: draft.webhookId, label: draft.webhookId }]}
      value={draft.webhookId === '' ? null : draft.webhookId}
      onChange={(webhookId) => onChange({ webhookId: webhookId ?? '' })}
    />
  );
}
