import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { describeError } from '../../api/api-error.ts';
import { metaQuery } from '../../api/hub/hub-queries.ts';
import { integrationOptionsQuery } from '../../api/integrations/integrations-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { useIncomingWebhooks } from '../../api/webhooks/webhooks-queries.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { SplitView } from '../../components/SplitView.tsx';
import { Toolbar } from '../../components/Toolbar.tsx';
import { ColumnsMenu } from '../../components/table/ColumnsMenu.tsx';
import { LiveTable } from '../../components/table/LiveTable.tsx';
import { useColumns } from '../../components/table/use-columns.ts';
import { useOpenRow } from '../../components/table/use-open-row.ts';
import { UrlFilter, UrlGivenFilter, UrlIntegrationFilter, UrlSearch } from '../../components/UrlFilters.tsx';
import { type UrlState, useUrlState } from '../../components/use-url-state.ts';
import { formatCount } from '../../lib/format-number.ts';
import { paths } from '../../lib/paths.ts';
import { INCOMING_LOOK } from '../../lib/status.ts';
import { IncomingPanel } from './IncomingPanel.tsx';
import { INCOMING_COLUMNS } from './incoming-columns.tsx';

const FILTERS = ['search', 'outcomes', 'integrations', 'connections'] as const;
const OUTCOME_OPTIONS = Object.entries(INCOMING_LOOK).map(([value, look]) => ({ value, label: look.label }));

/** Webhooks of providers as they came, each with what became of it. */
export function IncomingList({ tabs }: { tabs: ReactNode }) {
  const url = useUrlState();
  const values = Object.fromEntries(FILTERS.map((name) => [name, url.get(name)]));
  const rows = useIncomingWebhooks({ ...values, sort: url.get('sort') });
  const columns = useColumns('incoming-webhooks', INCOMING_COLUMNS);
  const { open, show, step } = useOpenRow(url, 'webhook', rows);
  return (
    <SplitView
      panel={
        open && (
          <IncomingPanel key={open} webhookId={open} onClose={() => show(undefined)} onStep={step} onReplayed={show} />
        )
      }
    >
      <PageHeader
        title="Webhooks"
        aside={<span className="soft">{rows.total === undefined ? '' : formatCount(rows.total, 'webhook')}</span>}
      />
      {tabs}
      <IncomingFilters url={url} columns={<ColumnsMenu choice={columns} />} />
      <LiveTable
        label="Incoming webhooks"
        columns={columns.visible}
        rows={rows}
        url={url}
        filters={FILTERS}
        open={open}
        onShow={show}
        nothingFits="No webhook fits the search and filters."
        nothing={<NothingCame />}
        describeError={describeError}
      />
    </SplitView>
  );
}

function NothingCame() {
  const env = useEnv();
  const { data: meta } = useQuery(metaQuery());
  if (!meta) return null;
  const text = 'Providers send a webhook when something changes. Each integration has an address for its own.';
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

function IncomingFilters({ url, columns }: { url: UrlState; columns: ReactNode }) {
  const env = useEnv();
  const integrations = useQuery(integrationOptionsQuery(env)).data ?? [];
  return (
    <Toolbar end={columns}>
      <UrlSearch url={url} label="Event, connection or problem" />
      <UrlFilter url={url} name="outcomes" label="Outcome" options={OUTCOME_OPTIONS} />
      <UrlIntegrationFilter url={url} integrations={integrations} />
      <UrlGivenFilter url={url} name="connections" label="Connection" />
    </Toolbar>
  );
}
