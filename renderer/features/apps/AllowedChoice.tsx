import { MultiSelect, SegmentedControl, TagsInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { connectionChoicesQueryOptions } from '../../api/connections/connections-queries.ts';
import type { AllowedConnections } from '../../api/contract.ts';
import { integrationChoicesQueryOptions } from '../../api/integrations/integrations-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { searchOptions } from '../../components/form/search-options.ts';
import { type AllowedFields, allowedFieldsOf, rowsOf, rowText } from './allowed-rows.ts';

interface AllowedChoiceProps {
  allowed: AllowedConnections;
  onChange: (allowed: AllowedConnections) => void;
}

/** The connections that a key may see and use: all of them, or chosen ones. */
export function AllowedChoice({ allowed, onChange }: AllowedChoiceProps) {
  return (
    <fieldset style={{ margin: '16px 0 0' }}>
      <legend className="name">Connections</legend>
      <SegmentedControl
        size="xs"
        aria-label="Connections"
        data={[
          { value: 'all', label: 'All connections' },
          { value: 'chosen', label: 'Only chosen' },
        ]}
        value={allowed === null ? 'all' : 'chosen'}
        onChange={(value) => onChange(value === 'all' ? null : [])}
      />
      {allowed !== null && (
        <ChosenConnections fields={allowedFieldsOf(allowed)} onChange={(next) => onChange(rowsOf(next))} />
      )}
    </fieldset>
  );
}

function ChosenConnections({ fields, onChange }: { fields: AllowedFields; onChange: (fields: AllowedFields) => void }) {
  const env = useEnv();
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed, 120);
  const integrations = useQuery(integrationChoicesQueryOptions(env)).data ?? [];
  const found = useQuery(connectionChoicesQueryOptions(env, search)).data ?? [];
  const names = new Map(integrations.map((one) => [one.key, one.displayName ?? one.key]));
  for (const key of fields.integrations) if (!names.has(key)) names.set(key, key);
  const connections = new Map(found.map((row) => [keyOf(row), `${row.integrationKey}: ${row.connectionId}`]));
  for (const row of fields.connections) connections.set(keyOf(row), rowText(row));
  const isEmpty = rowsOf(fields).length === 0;
  return (
    <>
      <p className="soft" role={isEmpty ? 'alert' : undefined}>
        {isEmpty
          ? 'Choose at least one. The key can use only what you choose.'
          : 'The key can use only these connections. It has no access to settings, deploys and keys.'}
      </p>
      <MultiSelect
        mt={8}
        label="Every connection of"
        placeholder={fields.integrations.length === 0 ? 'Integrations' : ''}
        searchable
        filter={searchOptions}
        data={[...names].map(([value, label]) => ({ value, label }))}
        value={fields.integrations}
        onChange={(next) => onChange({ ...fields, integrations: next })}
      />
      <MultiSelect
        mt={8}
        label="Single connections"
        placeholder={fields.connections.length === 0 ? 'Name, ID or e-mail' : ''}
        searchable
        filter={({ options }) => options}
        nothingFoundMessage="No connection matches."
        data={[...connections].map(([value, label]) => ({ value, label }))}
        value={fields.connections.map(keyOf)}
        onSearchChange={setTyped}
        onChange={(next) => onChange({ ...fields, connections: next.map(fromKey) })}
      />
      <TagsInput
        mt={8}
        label="Connections with one of these tags"
        placeholder={fields.tags.length === 0 ? 'team=blue' : ''}
        value={fields.tags}
        onChange={(next) => onChange({ ...fields, tags: next })}
      />
      {fields.others.length > 0 && (
        <p className="soft">Also set over the API: {fields.others.map(rowText).join('; ')}.</p>
      )}
    </>
  );
}

const keyOf = ({
  connectionId = '',
  integrationKey = '',
}: Pick<NonNullable<AllowedConnections>[number], 'connectionId' | 'integrationKey'>): string =>
  JSON.stringify([integrationKey, connectionId]);

function fromKey(key: string): { integrationKey: string; connectionId: string } {
  const [integrationKey = '', connectionId = ''] = JSON.parse(key) as string[];
  return { integrationKey, connectionId };
}
