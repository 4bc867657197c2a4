import { Button, Menu } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, useMemo } from 'react';
import { Link } from 'react-router';
import type { OutgoingWebhookRow } from '../../api/contract.ts';
import { integrationChoicesQueryOptions } from '../../api/integrations/integrations-queries.ts';
import { exportList } from '../../api/lists/export-list.ts';
import { useFilterValues } from '../../api/lists/use-filter-values.ts';
import { settingsQueryOptions } from '../../api/settings/settings-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { useSendSample } from '../../api/webhooks/webhooks-mutations.ts';
import { useOutgoingWebhooks, webhookDestinationsQueryOptions } from '../../api/webhooks/webhooks-queries.ts';
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
import { outgoingColumns } from './outgoing-columns.tsx';
import { DELIVERY_STATE_OPTIONS, WEBHOOK_TYPE_OPTIONS } from './outgoing-filters.ts';
import { ReplayFailed } from './ReplayFailed.tsx';
import { ReplaySelection } from './ReplaySelection.tsx';
import { WebhooksHead } from './WebhooksHead.tsx';

const OutgoingPanel = lazy(async () => ({ default: (await import('./OutgoingPanel.tsx')).OutgoingPanel }));

const OutgoingRowActions = lazy(async () => ({
  default: (await import('./WebhookRowActions.tsx')).OutgoingRowActions,
}));

const rowKey = (row: { id: string }): string => row.id;
const nameOf = ({ id, message }: OutgoingWebhookRow): string => `${message}, ${id}`;

const FILTERS = ['search', 'states', 'types', 'integrations', 'connections'] as const;
const TAB_FILTERS = FILTERS.filter((name) => name !== 'integrations');

/** Webhooks to the user's app, each with its attempts; with an integration, those about it. */
export function OutgoingList({ integrationKey }: { integrationKey: string | undefined }) {
  const env = useEnv();
  const isTab = integrationKey !== undefined;
  const list = useList({ filters: isTab ? TAB_FILTERS : FILTERS, sort: '-time' });
  const filter = { ...list.filters, ...(isTab && { integrations: integrationKey }) };
  const rows = useOutgoingWebhooks({ ...filter, sort: list.sort });
  const { data: integrations } = useQuery(integrationChoicesQueryOptions(env));
  const all = useMemo(
    () =>
      outgoingColumns(new Map(integrations?.map(({ key, provider }) => [key, provider]))).filter(
        (column) => !isTab || column.id !== 'integration',
      ),
    [integrations, isTab],
  );
  const columns = useColumnLayout(isTab ? 'integration-outgoing' : 'outgoing-webhooks', all);
  const selection = useSelection<OutgoingWebhookRow>(list);
  const integrationValues = useFilterValues('outgoing.integrations', Boolean(list.filters.integrations));
  const connectionValues = useFilterValues('outgoing.connections', Boolean(list.filters.connections), integrationKey);
  const opened = useOpenRow(list.url, 'webhook', rows);
  const { open, show, step } = opened;
  return (
    <SplitView
      panelWidth={PANELS.outgoing}
      panel={open && <OutgoingPanel webhookId={open} onClose={() => show(undefined)} onStep={step} onReplayed={show} />}
    >
      <WebhooksHead total={rows.total} integrationKey={integrationKey}>
        <ReplayFailed filter={filter} />
        {/* A sample belongs to no integration: it would not appear in the list of one. */}
        {!isTab && <SampleMenu onSent={show} />}
      </WebhooksHead>
      <ListFilters
        list={list}
        search="Event, connection or ID"
        columns={columns}
        rowHeight={28}
        {...(!isTab && { views: 'outgoing-webhooks' })}
        end={
          <ExportMenu
            fileName="outgoing-webhooks"
            read={(options) =>
              exportList({
                list: 'GET /api/v1/webhooks/outgoing',
                query: { env, ...filter, sort: list.sort },
                ...options,
              })
            }
          />
        }
      >
        <ListFilter list={list} name="states" label="State" options={DELIVERY_STATE_OPTIONS} />
        <ListFilter list={list} name="types" label="Type" options={WEBHOOK_TYPE_OPTIONS} />
        {!isTab && <ServedFilter list={list} name="integrations" label="Integration" values={integrationValues} />}
        <ServedFilter list={list} name="connections" label="Connection" values={connectionValues} />
      </ListFilters>
      <ListTable
        list={list}
        label="Outgoing webhooks"
        columns={columns}
        rows={rows}
        rowKey={rowKey}
        rowId={rowKey}
        rowHeight={28}
        opened={opened}
        rowMenu={(row, items) => (
          <OutgoingRowActions row={row} onReplayed={show}>
            {items}
          </OutgoingRowActions>
        )}
        selection={selection}
        nothingFits="No webhook matches the search and filters."
        nothing={<NothingSent />}
      />
      <ReplaySelection direction="outgoing" {...{ nameOf, selection, rows, columns, rowKey }} />
    </SplitView>
  );
}

function NothingSent() {
  const env = useEnv();
  const { data: settings } = useQuery(settingsQueryOptions(env));
  const { data: further } = useQuery(webhookDestinationsQueryOptions(env));
  const text = 'A webhook tells your app that a connection was made, a sync ended or an action is done.';
  if (!settings || !further) return null;
  const { primary_url, secondary_url } = settings.webhook;
  const hasUrl = Boolean(primary_url ?? secondary_url) || further.some(({ isEnabled }) => isEnabled);
  return hasUrl ? (
    <EmptyState title="No webhooks yet" text={`${text} The next one appears here, with what your app answered.`} />
  ) : (
    <EmptyState title="No webhooks yet" text={`${text} There is no address to send them to yet.`}>
      <Button component={Link} to={paths.settings(env, 'webhooks')}>
        Set a webhook URL
      </Button>
    </EmptyState>
  );
}

/** A sample event of each type, signed with the real key. */
function SampleMenu({ onSent }: { onSent: (webhookId: string) => void }) {
  const send = useSendSample();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          variant="default"
          loading={send.isPending}
          rightSection={<IconChevronDown size={14} stroke={1.6} aria-hidden />}
        >
          Send a sample event
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {WEBHOOK_TYPE_OPTIONS.map(({ value, label }) => (
          <Menu.Item
            key={value}
            rightSection={<code className="faint">{value}</code>}
            onClick={() => send.mutate(value, { onSuccess: onSent })}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
