import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type ConnectionRef, connectionChoicesQueryOptions } from '../../api/connections/connections-queries.ts';
import { useEnv } from '../../api/use-env.ts';

const keyOf = ({ integrationKey, connectionId }: ConnectionRef): string =>
  JSON.stringify([integrationKey, connectionId]);

/** Chooses any connection of the environment, or none: the server searches. */
export function ConnectionField({
  connection,
  onChoose,
}: {
  connection: ConnectionRef;
  onChoose: (connection: ConnectionRef) => void;
}) {
  const env = useEnv();
  const [typed, setTyped] = useState('');
  const chosen = connection.connectionId === '' ? null : keyOf(connection);
  const recent = useQuery(connectionChoicesQueryOptions(env, '')).data ?? [];
  const own = recent.find((row) => keyOf(row) === chosen);
  const label = own
    ? `${own.displayName ?? own.connectionId}, ${own.integrationName}`
    : `${connection.connectionId}, ${connection.integrationKey}`;
  // The field shows the name of the chosen connection until the person types.
  const [search] = useDebouncedValue(typed === label ? '' : typed, 120);
  const found = useQuery(connectionChoicesQueryOptions(env, search)).data ?? [];
  const options = new Map(
    found.map((row) => [keyOf(row), `${row.displayName ?? row.connectionId}, ${row.integrationName}`]),
  );
  if (chosen !== null) options.set(chosen, label);
  return (
    <Select
      label="Connection"
      placeholder="Name, ID or e-mail"
      searchable
      filter={({ options: all }) => all}
      nothingFoundMessage="No connection matches."
      data={[...options].map(([value, name]) => ({ value, label: name }))}
      value={chosen}
      onSearchChange={setTyped}
      onChange={(value) => {
        if (!value) return;
        const [integrationKey = '', connectionId = ''] = JSON.parse(value) as string[];
        onChoose({ integrationKey, connectionId });
      }}
    />
  );
}
