import { Button } from '@mantine/core';
import { type ReactNode, useMemo } from 'react';
import { Link } from 'react-router';
import { describeError } from '../../api/api-error.ts';
import { useEnv } from '../../api/use-env.ts';
import { useIntegrationOptions } from '../../api/use-integration-options.ts';
import { useOutgoingWebhooks } from '../../api/use-outgoing-webhooks.ts';
import { useSettings } from '../../api/use-settings.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { FilterChip } from '../../components/FilterChip.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { ProviderLogo } from '../../components/ProviderLogo.tsx';
import { SearchBox } from '../../components/SearchBox.tsx';
import { SplitView } from '../../components/SplitView.tsx';
import { Toolbar } from '../../components/Toolbar.tsx';
import { ColumnsMenu } from '../../components/table/ColumnsMenu.tsx';
import { DataTable } from '../../components/table/DataTable.tsx';
import { useColumns } from '../../components/table/use-columns.ts';
import { useRowSteps } from '../../components/table/use-row-steps.ts';
import { type UrlState, useUrlState } from '../../components/use-url-state.ts';
import { formatCount } from '../../lib/format-number.ts';
import { paths } from '../../lib/paths.ts';
import { splitList } from '../../lib/search-params.ts';
import { OutgoingPanel } from './OutgoingPanel.tsx';
import { outgoingColumns } from './outgoing-columns.tsx';
import { STATE_OPTIONS, TYPE_OPTIONS } from './outgoing-filters.ts';
import { ReplayFailed } from './ReplayFailed.tsx';
import { SampleMenu } from './SampleMenu.tsx';

const FILTERS = ['search', 'states', 'types', 'integrations', 'connections'] as const;

/** Webhooks to the user's app, each with its attempts. */
export function OutgoingList({ tabs }: { tabs: ReactNode }) {
  const url = useUrlState();
  const values = Object.fromEntries(FILTERS.map((name) => [name, url.get(name)]));
  const rows = useOutgoingWebhooks({ ...values, sort: url.get('sort') });
  const { data: integrations } = useIntegrationOptions();
  const all = useMemo(
    () => outgoingColumns(new Map(integrations?.map(({ key, provider }) => [key, provider]))),
    [integrations],
  );
  const columns = useColumns('outgoing-webhooks', all);
  const open = url.get('webhook');
  const show = (webhook: string | undefined): void => url.set({ webhook }, { replace: true });
  const step = useRowSteps(
    rows,
    (row) => row.id,
    open,
    (row) => show(row.id),
  );
  const isFiltered = FILTERS.some((name) => values[name]);
  return (
    <SplitView
      panel={
        open && (
          <OutgoingPanel key={open} webhookId={open} onClose={() => show(undefined)} onStep={step} onReplayed={show} />
        )
      }
    >
      <PageHeader
        title="Webhooks"
        aside={<span className="soft">{rows.total === undefined ? '' : formatCount(rows.total, 'webhook')}</span>}
      >
        <ReplayFailed filter={values} />
        <SampleMenu onSent={show} />
      </PageHeader>
      {tabs}
      <OutgoingFilters url={url} integrations={integrations ?? []} columns={<ColumnsMenu choice={columns} />} />
      <DataTable
        label="Outgoing webhooks"
        columns={columns.visible}
        source={rows}
        rowKey={(row) => row.id}
        rowHeight={28}
        sort={url.get('sort') ?? '-time'}
        onSort={(sort) => url.set({ sort: sort === '-time' ? '' : sort })}
        onOpen={(row) => show(row.id)}
        openKey={open}
        onClose={() => show(undefined)}
        heldCount={rows.heldCount}
        onShowHeld={rows.showHeld}
        onTopChange={rows.setAtTop}
        describeError={describeError}
        empty={
          isFiltered ? (
            <EmptyState title="Nothing matches" text="No webhook fits the search and filters.">
              <Button variant="default" onClick={() => url.set(Object.fromEntries(FILTERS.map((name) => [name, ''])))}>
                Clear filters
              </Button>
            </EmptyState>
          ) : (
            <NothingSent />
          )
        }
      />
    </SplitView>
  );
}

function NothingSent() {
  const env = useEnv();
  const { data: settings } = useSettings();
  const text = 'A webhook tells your app that a connection was made, a sync ended or an action is done.';
  if (!settings) return null;
  const hasUrl = Boolean(settings.webhook.primary_url ?? settings.webhook.secondary_url);
  return hasUrl ? (
    <EmptyState title="No webhooks yet" text={`${text} The next one appears here, with what your app answered.`} />
  ) : (
    <EmptyState title="No webhooks yet" text={`${text} Homeport does not know yet where to send them.`}>
      <Button component={Link} to={paths.settings(env, 'webhooks')}>
        Set a webhook URL
      </Button>
    </EmptyState>
  );
}

interface OutgoingFiltersProps {
  url: UrlState;
  integrations: Array<{ key: string; displayName: string; provider: string }>;
  columns: ReactNode;
}

function OutgoingFilters({ url, integrations, columns }: OutgoingFiltersProps) {
  const connections = splitList(url.get('connections'));
  return (
    <Toolbar end={columns}>
      <SearchBox
        label="Event, connection or ID"
        value={url.get('search') ?? ''}
        onChange={(search) => url.set({ search }, { replace: true })}
      />
      <FilterChip
        label="State"
        options={STATE_OPTIONS}
        selected={splitList(url.get('states'))}
        onChange={(values) => url.set({ states: values.join(',') })}
      />
      <FilterChip
        label="Type"
        options={TYPE_OPTIONS}
        selected={splitList(url.get('types'))}
        onChange={(values) => url.set({ types: values.join(',') })}
      />
      <FilterChip
        label="Integration"
        options={integrations.map((one) => ({
          value: one.key,
          label: one.displayName,
          icon: <ProviderLogo provider={one.provider} name={one.displayName} />,
        }))}
        selected={splitList(url.get('integrations'))}
        onChange={(values) => url.set({ integrations: values.join(',') })}
      />
      {connections.length > 0 && (
        <FilterChip
          label="Connection"
          options={connections.map((value) => ({ value, label: value }))}
          selected={connections}
          onChange={(values) => url.set({ connections: values.join(',') })}
        />
      )}
    </Toolbar>
  );
}
