import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type ConnectionRef, connectionChoicesQueryOptions } from '../../api/connections/connections-queries.ts';
import type { ConnectionListItem } from '../../api/contract.ts';
import { useEnv } from '../../api/use-env.ts';

interface ConnectionPickerProps {
  /** Absent: none is chosen. */
  connection?: ConnectionRef | undefined;
  onChoose: (connection: ConnectionRef) => void;
}

const keyOf = ({ integrationKey, connectionId }: ConnectionRef): string =>
  JSON.stringify([integrationKey, connectionId]);

const nameOf = (row: ConnectionListItem): string => `${row.displayName ?? row.connectionId}, ${row.integrationName}`;

/** Chooses one of any number of connections: the server searches. */
export function ConnectionPicker({ connection, onChoose }: ConnectionPickerProps) {
  const env = useEnv();
  const [typed, setTyped] = useState('');
  const recent = useQuery(connectionChoicesQueryOptions(env, '')).data ?? [];
  const chosen = connection && keyOf(connection);
  const chosenRow = recent.find((row) => keyOf(row) === chosen);
  const chosenLabel = chosenRow
    ? nameOf(chosenRow)
    : connection && `${connection.connectionId}, ${connection.integrationKey}`;
  // The field shows the name of the chosen connection until the person types.
  const [search] = useDebouncedValue(typed === chosenLabel ? '' : typed, 120);
  const found = useQuery(connectionChoicesQueryOptions(env, search)).data ?? [];
  const labels = new Map(found.map((row) => [keyOf(row), nameOf(row)]));
  if (chosen !== undefined && chosenLabel !== undefined) labels.set(chosen, chosenLabel);
  const choose = (value: string | null): void => {
    if (!value) return;
    const [integrationKey = '', connectionId = ''] = JSON.parse(value) as string[];
    onChoose({ integrationKey, connectionId });
  };
  return (
    <Select
      maw="100%"
      w={280}
      aria-label="Connection"
      searchable
      filter={({ options }) => options}
      data={[...labels].map(([value, label]) => ({ value, label }))}
      value={chosen ?? null}
      placeholder="Choose a connection"
      onSearchChange={setTyped}
      onChange={choose}
    />
  );
}
