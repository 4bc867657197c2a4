import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, useMemo } from 'react';
import { Link } from 'react-router';
import type { WebhookRow } from '../../api/contract.ts';
import { metaQueryOptions } from '../../api/hub/hub-queries.ts';
import { integrationQueryOptions } from '../../api/integrations/integrations-queries.ts';
import { exportList } from '../../api/lists/export-list.ts';
import { useFilterValues } from '../../api/lists/use-filter-values.ts';
import { useEnv } from '../../api/use-env.ts';
import { useIncomingWebhooks } from '../../api/webhooks/webhooks-queries.ts';
import { ExportMenu } from '../../components/list/ExportMenu.tsx';
import { ListFilter, ListFilters, ServedFilter } from '../../components/list/ListFilters.tsx';
import { ListTable } from '../../components/list/ListTable.tsx';
import { useList, useSelection } from '../../components/list/use-list.ts';
import { useOpenRow } from '../../components/list/use-open-row.ts';
import { EmptyState } from '../../components/page/EmptyState.tsx';
import { PANELS } from '../../components/page/panel-width.ts';
import { SplitView } from '../../components/page/SplitView.tsx';
import { useColumnLayout } from '../../components/table/use-column-layout.ts';
import { paths } from '../../lib/paths.ts';
import { INCOMING_LOOK } from '../../lib/status.ts';
import { incomingColumns } from './incoming-columns.tsx';
import { ReplaySelection } from './ReplaySelection.tsx';
import { WebhooksHead } from './WebhooksHead.tsx';

const IncomingPanel = lazy(async () => ({ default: (await import('./IncomingPanel.tsx')).IncomingPanel }));

const IncomingRowActions = lazy(async () => ({
  default: (await import('./WebhookRowActions.tsx')).IncomingRowActions,
}));

const rowKey = (row: { id: string }): string => row.id;
const nameOf = ({ id, integrationKey, eventTypes }: WebhookRow): string => `${eventTypes[0] ?? integrationKey}, ${id}`;

const FILTERS = ['search', 'outcomes', 'integrations', 'connections'] as const;
const TAB_FILTERS = FILTERS.filter((name) => name !== 'integrations');
const OUTCOME_OPTIONS = Object.entries(INCOMING_LOOK).map(([value, look]) => ({ value, label: look.label }));

/** Webhooks from providers, each with its outcome; with an integration, those of its provider. */
export function IncomingList({ integrationKey }: { integrationKey: string | undefined }) {
  const env = useEnv();
  const isTab = integrationKey !== undefined;
  const list = useList({ filters: isTab ? TAB_FILTERS : FILTERS, sort: '-time' });
  const filter = { ...list.filters, ...(isTab && { integrations: integrationKey }), sort: list.sort };
  const rows = useIncomingWebhooks(filter);
  const all = useMemo(() => incomingColumns().filter((column) => !isTab || column.id !== 'integration'), [isTab]);
  const columns = useColumnLayout(isTab ? 'integration-incoming' : 'incoming-webhooks', all);
  const selection = useSelection<WebhookRow>(list);
  const integrations = useFilterValues('incoming.integrations', Boolean(list.filters.integrations));
  const connections = useFilterValues('incoming.connections', Boolean(list.filters.connections), integrationKey);
  const opened = useOpenRow(list.url, 'webhook', rows);
  const { open, show, step } = opened;
  return (
    <SplitView
      panelWidth={PANELS.incoming}
      panel={open && <IncomingPanel webhookId={open} onClose={() => show(undefined)} onStep={step} onReplayed={show} />}
    >
      <WebhooksHead total={rows.total} integrationKey={integrationKey} />
      <ListFilters
        list={list}
        search="Event, connection or problem"
        columns={columns}
        rowHeight={28}
        {...(!isTab && { views: 'incoming-webhooks' })}
        end={
          <ExportMenu
            fileName="incoming-webhooks"
            read={(options) =>
              exportList({
                list: 'GET /api/v1/webhooks/incoming',
                query: { env, ...filter },
                ...options,
              })
            }
          />
        }
      >
        <ListFilter list={list} name="outcomes" label="Outcome" options={OUTCOME_OPTIONS} />
        {!isTab && <ServedFilter list={list} name="integrations" label="Integration" values={integrations} />}
        <ServedFilter list={list} name="connections" label="Connection" values={connections} />
      </ListFilters>
      <ListTable
        list={list}
        label="Incoming webhooks"
        columns={columns}
        rows={rows}
        rowKey={rowKey}
        rowId={rowKey}
        rowHeight={28}
        opened={opened}
        rowMenu={(row, items) => (
          <IncomingRowActions row={row} onReplayed={show}>
            {items}
          </IncomingRowActions>
        )}
        selection={selection}
        nothingFits="No webhook matches the search and filters."
        nothing={isTab ? <NothingCameYet integrationKey={integrationKey} /> : <NothingCame />}
      />
      <ReplaySelection direction="incoming" {...{ nameOf, selection, rows, columns, rowKey }} />
    </SplitView>
  );
}

const WHEN = 'Providers send a webhook when something changes.';

function NothingCame() {
  const env = useEnv();
  const { data: meta } = useQuery(metaQueryOptions());
  if (!meta) return null;
  const text = `${WHEN} Each integration has an address for its own.`;
  return meta.health.tunnelUrl === null ? (
    <EmptyState title="No webhooks yet" text={`${text} They reach this computer through a tunnel, and none is set.`}>
      <Button component={Link} to={paths.settings(env, 'public-url')}>
        Set a public URL
      </Button>
      <Button variant="subtle" component={Link} to={paths.integrations(env)}>
        Open integrations
      </Button>
    </EmptyState>
  ) : (
    <EmptyState title="No webhooks yet" text={`${text} Register it at the provider.`}>
      <Button component={Link} to={paths.integrations(env)}>
        Open integrations
      </Button>
    </EmptyState>
  );
}

/** The address to register is in the settings of the integration. */
function NothingCameYet({ integrationKey }: { integrationKey: string }) {
  const env = useEnv();
  const { data: integration } = useQuery(integrationQueryOptions(env, integrationKey));
  if (!integration) return null;
  return integration.webhookUrl === null ? (
    <EmptyState title="No webhooks" text={`${integration.displayName} sends none.`} />
  ) : (
    <EmptyState title="No webhooks yet" text={`${WHEN} Register the address of this integration there.`}>
      <Button variant="default" component={Link} to={paths.integration(env, integrationKey, 'settings')}>
        Show the address
      </Button>
    </EmptyState>
  );
}
