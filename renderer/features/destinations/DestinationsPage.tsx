import { Box, Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { RecordDestinationRow } from '../../api/contract.ts';
import { recordDestinationsQueryOptions } from '../../api/destinations/destinations-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { Banner } from '../../components/page/Banner.tsx';
import { EmptyState } from '../../components/page/EmptyState.tsx';
import { PageHeader } from '../../components/page/PageHeader.tsx';
import { usePage } from '../../components/page/page-context.ts';
import { useUrlState } from '../../components/page/use-url-state.ts';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { type Column, wholeRows } from '../../components/table/columns.ts';
import { DataTable } from '../../components/table/DataTable.tsx';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { useCommands } from '../../components/use-commands.ts';
import { formatNumber } from '../../lib/format-number.ts';
import { KEY_MAP } from '../../lib/key-map.ts';
import { CreateRecordDestination } from './CreateRecordDestination.tsx';
import { DestinationDetails } from './DestinationDetails.tsx';
import { DESTINATION_KINDS, DESTINATION_LOOKS, waitingWords } from './destination-look.ts';
import { SnapshotSection } from './SnapshotSection.tsx';

/** Where synced records go on their own. The address names the destination that is open. */
export function DestinationsPage() {
  const env = useEnv();
  const url = useUrlState();
  usePage([{ label: 'Destinations' }]);
  const [isMaking, setMaking] = useState(false);
  const make = (): void => setMaking(true);
  useCommands([{ ...KEY_MAP.create, label: 'New destination', run: make }]);
  const opened = url.get('destination');
  const open = (id: string): void => url.set({ destination: id });
  const list = useQuery(recordDestinationsQueryOptions(env));
  const failing = list.data?.filter(({ failure }) => failure !== null) ?? [];
  return (
    <>
      <PageHeader title="Destinations" sub="Where synced records go on their own">
        <Button leftSection={<IconPlus size={16} stroke={1.6} />} onClick={make}>
          New destination
        </Button>
      </PageHeader>
      {failing.slice(0, MOST_BANNERS).map(({ failure, id, name }) => (
        <Box key={id} px="var(--hp-gutter)">
          <Banner
            tone="bad"
            actions={
              <Button size="xs" variant="default" aria-label={`Open ${name}`} onClick={() => open(id)}>
                Open
              </Button>
            }
          >
            <b>Records do not reach {name}.</b> {failure?.message}
          </Banner>
        </Box>
      ))}
      <DataTable
        label="Destinations"
        columns={COLUMNS}
        source={wholeRows(list)}
        rowKey={({ id }) => id}
        rowHeight={48}
        onOpen={({ id }) => open(id)}
        empty={
          <EmptyState
            title="No destinations yet"
            text="A destination gets every change of synced records by itself: tables of a PostgreSQL database, files in a folder, or an address of your own. While it is away the changes wait."
          >
            <Button onClick={make}>New destination</Button>
          </EmptyState>
        }
      />
      {isMaking && <CreateRecordDestination onClose={() => setMaking(false)} />}
      {opened && opened !== SNAPSHOTS && (
        <DestinationDetails id={opened} onClose={() => url.set({ destination: undefined })} />
      )}
      <div className="rigid line-above scroll" style={{ padding: '12px var(--hp-gutter) 24px', maxHeight: '50%' }}>
        <SnapshotSection />
      </div>
    </>
  );
}

/** Links to the section of Parquet files name it as they name a destination. */
const SNAPSHOTS = 'snapshots';

/** More would hide the list, which has the state of each. */
const MOST_BANNERS = 3;

const COLUMNS: Column<RecordDestinationRow>[] = [
  {
    id: 'name',
    header: 'Destination',
    width: 150,
    grow: true,
    cell: ({ name, target }) => (
      <span className="stack">
        <span className="name cut">{name}</span>
        <span className="soft cut">{target}</span>
      </span>
    ),
  },
  { id: 'state', header: 'State', width: 120, cell: ({ state }) => <StatusBadge look={DESTINATION_LOOKS[state]} /> },
  { id: 'kind', header: 'Kind', width: 120, cell: ({ kind }) => DESTINATION_KINDS[kind] },
  {
    id: 'waiting',
    header: 'Waiting',
    width: 190,
    cell: (row) => <span className={row.waiting === 0 ? 'soft cut' : 'cut'}>{waitingWords(row)}</span>,
  },
  {
    id: 'delivered',
    header: 'Delivered',
    width: 100,
    align: 'right',
    cell: ({ delivered }) => formatNumber(delivered),
  },
  {
    id: 'last',
    header: 'Last delivery',
    width: 120,
    cell: (row) => <RelativeTime at={row.deliveredAt} empty="Never" />,
  },
];
