import { MultiSelect, NumberInput, Select, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { modelsQueryOptions } from '../../api/records/records-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { CodeInput } from '../../components/form/CodeInput.tsx';
import classes from './Playground.module.css';
import type { Draft } from './playground-draft.ts';

const ACTIONS = [
  { value: 'added', label: 'Added' },
  { value: 'updated', label: 'Updated' },
  { value: 'deleted', label: 'Deleted' },
];
/** The most records of one page in the playground. */
const MAX_RECORDS = 1000;

interface RecordsFieldsProps {
  draft: Draft;
  onChange: (patch: Partial<Draft>) => void;
}

/** The query of `GET /records`, with which an app reads the records of a connection. */
export function RecordsFields({ draft, onChange }: RecordsFieldsProps) {
  const env = useEnv();
  const { integrationKey, connectionId, model } = draft;
  const hasConnection = connectionId !== '';
  const models = useQuery({
    ...modelsQueryOptions(env, { integrationKey, connectionId }),
    enabled: hasConnection,
  }).data;
  const names = [...new Set(models?.map((row) => row.model))];
  // A cursor belongs to the query that returned it.
  const ask = (patch: Partial<Draft>): void => onChange({ ...patch, cursor: '' });
  return (
    <>
      <Select
        label="Model"
        placeholder={hasConnection ? 'Choose a model' : 'Choose a connection first'}
        description={
          hasConnection && models?.length === 0 ? 'No sync of this connection has saved records.' : undefined
        }
        searchable
        disabled={!hasConnection}
        data={model === '' || names.includes(model) ? names : [...names, model]}
        value={model === '' ? null : model}
        onChange={(next) => ask({ model: next ?? '' })}
      />
      <div className={`grid gap-8 ${classes['request']}`}>
        <NumberInput
          label="Limit"
          min={1}
          max={MAX_RECORDS}
          value={draft.limit}
          onChange={(value) => ask({ limit: Math.min(Math.max(Number(value) || 1, 1), MAX_RECORDS) })}
        />
        <CodeInput
          label="Variant"
          value={draft.variant}
          onChange={(event) => ask({ variant: event.currentTarget.value })}
        />
      </div>
      <MultiSelect
        label="Last change"
        placeholder={draft.filter.length === 0 ? 'Any' : undefined}
        data={ACTIONS}
        value={draft.filter}
        onChange={(filter) => ask({ filter })}
      />
      <CodeInput
        label="Changed after"
        placeholder="2026-01-31T12:00:00Z"
        value={draft.modifiedAfter}
        onChange={(event) => ask({ modifiedAfter: event.currentTarget.value })}
      />
      <Textarea
        label="IDs"
        description="One on each line. Empty: all."
        value={draft.ids}
        autosize
        minRows={1}
        maxRows={6}
        spellCheck={false}
        classNames={{ input: 'mono' }}
        onChange={(event) => ask({ ids: event.currentTarget.value })}
      />
      <CodeInput
        label="Cursor"
        description="Where the page begins. If empty, at the first record."
        value={draft.cursor}
        onChange={(event) => onChange({ cursor: event.currentTarget.value })}
      />
    </>
  );
}
