import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type ConnectionRef, connectionChoicesQueryOptions } from '../../api/connections/connections-queries.ts';
import type { ConnectionListItem } from '../../api/contract.ts';
import { useEnv } from '../../api/use-env.ts';

const keyOf = ({ integrationKey, connectionId }: ConnectionRef): string =>
  JSON.stringify([integrationKey, connectionId]);

/**
 * Chooses any connection of the environment, or none: the server searches. While an integration is chosen, its
 * connections come first.
 */
export function ConnectionField({
  connection,
  onChoose,
}: {
  connection: ConnectionRef;
  onChoose: (connection: ConnectionRef) => void;
}) {
  const env = useEnv();
  const [typed, setTyped] = useState('');
  const { integrationKey } = connection;
  const hasIntegration = integrationKey !== '';
  const chosen = connection.connectionId === '' ? null : keyOf(connection);
  const ofIntegration = (search: string) => ({
    ...connectionChoicesQueryOptions(env, search, integrationKey),
    enabled: hasIntegration,
  });
  const recent = useQuery(connectionChoicesQueryOptions(env, '')).data ?? [];
  const ownRecent = useQuery(ofIntegration('')).data ?? [];
  const shown = [...ownRecent, ...recent].find((row) => keyOf(row) === chosen);
  const label = shown ? labelOf(shown) : `${connection.connectionId}, ${integrationKey}`;
  // The field shows the name of the chosen connection until the person types.
  const [search] = useDebouncedValue(typed === label ? '' : typed, 120);
  const found = useQuery(connectionChoicesQueryOptions(env, search)).data ?? [];
  const ownFound = useQuery(ofIntegration(search)).data;
  const isOwn = (row: ConnectionRef): boolean => row.integrationKey === integrationKey;
  // The last results stay until the next ones are there, also those of another integration.
  const own = new Map((ownFound ?? []).filter(isOwn).map((row) => [keyOf(row), labelOf(row)]));
  if (chosen !== null) own.set(chosen, label);
  const others = new Map(found.filter((row) => !isOwn(row)).map((row) => [keyOf(row), labelOf(row)]));
  const isReady = !hasIntegration || ownFound !== undefined;
  const name = ownRecent.find(isOwn)?.integrationName ?? integrationKey;
  return (
    <Select
      label="Connection"
      placeholder="Name, ID or e-mail"
      searchable
      filter={({ options: all }) => all}
      nothingFoundMessage="No connection matches."
      data={
        hasIntegration
          ? [
              { group: name, items: choicesOf(own) },
              { group: 'Other integrations', items: isReady ? choicesOf(others) : [] },
            ].filter(({ items }) => items.length > 0)
          : choicesOf(others)
      }
      value={chosen}
      onSearchChange={setTyped}
      onChange={(value) => {
        if (!value) return;
        const [integration = '', connectionId = ''] = JSON.parse(value) as string[];
        onChoose({ integrationKey: integration, connectionId });
      }}
    />
  );
}

const labelOf = (row: ConnectionListItem): string => `${row.displayName ?? row.connectionId}, ${row.integrationName}`;

const choicesOf = (labels: ReadonlyMap<string, string>): Array<{ value: string; label: string }> =>
  [...labels].map(([value, label]) => ({ value, label }));
