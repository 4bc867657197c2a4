import { Button, Tabs } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from 'react-router';
import { describeError } from '../../api/api-error.ts';
import { integrationQueryOptions } from '../../api/integrations/integrations-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { CopyButton } from '../../components/CopyButton.tsx';
import { ErrorPanel } from '../../components/ErrorPanel.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { PanelBoundary } from '../../components/PanelBoundary.tsx';
import { ProviderLogo } from '../../components/ProviderLogo.tsx';
import { usePage } from '../../components/page-context.ts';
import { Tag } from '../../components/Tag.tsx';
import { authModeName } from '../../lib/auth-modes.ts';
import { paths } from '../../lib/paths.ts';
import { IntegrationConnections } from './IntegrationConnections.tsx';
import { IntegrationFunctions } from './IntegrationFunctions.tsx';
import { IntegrationSettings } from './IntegrationSettings.tsx';
import { PendingChange } from './PendingChange.tsx';

export function IntegrationPage() {
  const env = useEnv();
  const navigate = useNavigate();
  const { integrationKey = '', tab = 'functions' } = useParams();
  const { data, error, refetch } = useQuery(integrationQueryOptions(env, integrationKey));
  usePage([{ label: 'Integrations', to: paths.integrations(env) }, { label: data?.displayName ?? integrationKey }]);
  if (error && !data) return <ErrorPanel {...describeError(error)} onRetry={() => void refetch()} />;
  if (!data) return null;
  return (
    <>
      <PageHeader
        title={data.displayName}
        aside={
          <>
            <Tag>{authModeName(data.authMode)}</Tag>
            {data.providerSource === 'override' && <Tag>Changed by your workspace</Tag>}
          </>
        }
        logo={<ProviderLogo provider={data.provider} name={data.displayName} size={40} tile />}
        sub={
          <>
            <code>{data.key}</code>
            <CopyButton value={data.key} label="Copy ID" />
          </>
        }
      >
        <Button
          component={Link}
          to={paths.newConnection(env, data.key)}
          leftSection={<IconPlus size={16} stroke={1.6} />}
        >
          New connection
        </Button>
      </PageHeader>
      {data.pendingChange && <PendingChange key={data.pendingChange.hash} change={data.pendingChange} />}
      <Tabs value={tab} onChange={(next) => void navigate(paths.integration(env, data.key, next ?? undefined))}>
        <Tabs.List>
          <Tabs.Tab value="functions">
            Functions <span className="faint">{data.functionCount}</span>
          </Tabs.Tab>
          <Tabs.Tab value="connections">
            Connections <span className="faint">{data.connectionCount}</span>
          </Tabs.Tab>
          <Tabs.Tab value="settings">Settings</Tabs.Tab>
        </Tabs.List>
      </Tabs>
      <PanelBoundary resetKey={tab}>
        {tab === 'functions' && <IntegrationFunctions integrationKey={data.key} />}
        {tab === 'connections' && <IntegrationConnections integration={data} />}
        {tab === 'settings' && <IntegrationSettings key={data.key} integration={data} />}
      </PanelBoundary>
    </>
  );
}
