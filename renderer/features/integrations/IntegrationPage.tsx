import { ActionIcon, Box, Button, Menu, Tabs } from '@mantine/core';
import { IconDots, IconFlask, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ComponentType, lazy, Suspense, useState } from 'react';
import { Link, useNavigate, useParams } from 'react-router';
import type { IntegrationDetail } from '../../api/contract.ts';
import { templatesQueryOptions } from '../../api/functions/functions-queries.ts';
import { integrationQueryOptions } from '../../api/integrations/integrations-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { CopyButton } from '../../components/CopyButton.tsx';
import { ProviderLogo } from '../../components/connection/ProviderLogo.tsx';
import { UnsavedGuard } from '../../components/form/UnsavedGuard.tsx';
import { useHeld } from '../../components/form/unsaved-context.ts';
import { PinButton } from '../../components/PinButton.tsx';
import { Banner } from '../../components/page/Banner.tsx';
import { EmptyState } from '../../components/page/EmptyState.tsx';
import { ErrorPage } from '../../components/page/ErrorPanel.tsx';
import { NotFoundPage } from '../../components/page/NotFoundPage.tsx';
import { PageHeader } from '../../components/page/PageHeader.tsx';
import { PageSkeleton } from '../../components/page/PageSkeleton.tsx';
import { PanelBoundary } from '../../components/page/PanelBoundary.tsx';
import { usePage } from '../../components/page/page-context.ts';
import { Tag } from '../../components/tag/Tag.tsx';
import { isMissing } from '../../lib/api-error.ts';
import { authModeName } from '../../lib/auth-modes.ts';
import { paths } from '../../lib/paths.ts';
import { IntegrationConnections } from './IntegrationConnections.tsx';
import { IntegrationFunctions } from './IntegrationFunctions.tsx';
import { IntegrationSettings } from './IntegrationSettings.tsx';
import { PendingChange } from './PendingChange.tsx';

const DuplicateIntegration = lazy(async () => ({
  default: (await import('./DuplicateIntegration.tsx')).DuplicateIntegration,
}));
const FailureDialog = lazy(async () => ({ default: (await import('./PracticeFailure.tsx')).FailureDialog }));
const FailureBanner = lazy(async () => ({ default: (await import('./PracticeFailure.tsx')).FailureBanner }));
const TemplateBrowser = lazy(async () => ({ default: (await import('./TemplateBrowser.tsx')).TemplateBrowser }));

const TABS = ['functions', 'templates', 'connections', 'logs', 'webhooks', 'settings'];

type IntegrationList = ComponentType<{ integrationKey: string }>;

/** `logs` and `webhooks` are lists of other screens, filtered by the integration. */
export function IntegrationPage({ logs: Logs, webhooks: Webhooks }: Record<'logs' | 'webhooks', IntegrationList>) {
  const env = useEnv();
  const navigate = useNavigate();
  const { integrationKey = '', tab = 'functions' } = useParams();
  const query = useQuery(integrationQueryOptions(env, integrationKey));
  const { error, refetch } = query;
  const data = useHeld(query.data);
  const templateCount = useQuery(templatesQueryOptions(env, integrationKey)).data?.length ?? 0;
  usePage([{ label: 'Integrations', to: paths.integrations(env) }, { label: data?.displayName ?? integrationKey }]);
  if (isMissing(error) && !data)
    return <NotFoundPage message={error.message} to={paths.integrations(env)} toLabel="All integrations" />;
  const away = error ? (
    <ErrorPage title={integrationKey} error={error} onRetry={() => void refetch()} />
  ) : (
    <PageSkeleton />
  );
  if (!data) return away;
  const isPractice = /^practice(-|$)/.test(data.provider);
  const titles = new Map(data.fields.map((field) => [field.name, field.title]));
  return (
    <UnsavedGuard instead={query.data ? undefined : away}>
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
        {isPractice && <SimulateFailure />}
        <Button
          component={Link}
          to={paths.newConnection(env, data.key)}
          leftSection={<IconPlus size={16} stroke={1.6} />}
        >
          New connection
        </Button>
        <PinButton env={env} of={{ kind: 'integration', key: data.key }} />
        <PageMenu integration={data} />
      </PageHeader>
      {isPractice && (
        <Suspense fallback={null}>
          <FailureBanner />
        </Suspense>
      )}
      {data.missingFields.length > 0 && tab !== 'settings' && (
        <Box px="var(--hp-gutter)">
          <Banner
            tone="warn"
            actions={
              <Button size="xs" variant="default" component={Link} to={paths.integration(env, data.key, 'settings')}>
                Open settings
              </Button>
            }
          >
            <b>No connection can be made yet.</b> Missing:{' '}
            {data.missingFields.map((name) => titles.get(name) ?? name).join(', ')}.
          </Banner>
        </Box>
      )}
      {data.pendingChange && <PendingChange key={data.pendingChange.hash} change={data.pendingChange} />}
      <Tabs value={tab} onChange={(next) => void navigate(paths.integration(env, data.key, next ?? undefined))}>
        <Tabs.List>
          <Tabs.Tab value="functions">
            Functions <span className="faint">{data.functionCount}</span>
          </Tabs.Tab>
          {(templateCount > 0 || tab === 'templates') && (
            <Tabs.Tab value="templates">
              Templates {templateCount > 0 && <span className="faint">{templateCount}</span>}
            </Tabs.Tab>
          )}
          <Tabs.Tab value="connections">
            Connections <span className="faint">{data.connectionCount}</span>
          </Tabs.Tab>
          <Tabs.Tab value="logs">Logs</Tabs.Tab>
          <Tabs.Tab value="webhooks">Webhooks</Tabs.Tab>
          <Tabs.Tab value="settings">Settings</Tabs.Tab>
        </Tabs.List>
      </Tabs>
      <PanelBoundary resetKey={tab}>
        {!TABS.includes(tab) && (
          <EmptyState title={`An integration has no tab “${tab}”`} text="The address may be from an older version.">
            <Button component={Link} variant="default" to={paths.integration(env, data.key)}>
              Open the integration
            </Button>
          </EmptyState>
        )}
        {tab === 'functions' && <IntegrationFunctions integrationKey={data.key} />}
        <Suspense fallback={<div aria-busy="true" />}>
          {tab === 'templates' && <TemplateBrowser key={data.key} integration={data} />}
        </Suspense>
        {tab === 'connections' && <IntegrationConnections integration={data} />}
        <Suspense fallback={<div aria-busy="true" />}>
          {tab === 'logs' && <Logs integrationKey={data.key} />}
          {tab === 'webhooks' && <Webhooks integrationKey={data.key} />}
        </Suspense>
        {tab === 'settings' && <IntegrationSettings key={data.key} integration={data} />}
      </PanelBoundary>
    </UnsavedGuard>
  );
}

function SimulateFailure() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" aria-label="Simulate a failure" onClick={() => setOpen(true)}>
        <span className="row gap-6">
          <IconFlask size={16} stroke={1.6} aria-hidden />
          <span className="wide">Simulate a failure</span>
        </span>
      </Button>
      <Suspense fallback={null}>{isOpen && <FailureDialog onClose={() => setOpen(false)} />}</Suspense>
    </>
  );
}

function PageMenu({ integration }: { integration: IntegrationDetail }) {
  const { key, setupGuideUrl, docsUrl } = integration;
  const env = useEnv();
  const [isDuplicating, setDuplicating] = useState(false);
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={32} aria-label="More">
            <IconDots size={16} stroke={1.6} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {setupGuideUrl !== null && (
            <Menu.Item component="a" href={setupGuideUrl} target="_blank" rel="noreferrer">
              Provider's setup page
            </Menu.Item>
          )}
          {docsUrl !== null && (
            <Menu.Item component="a" href={docsUrl} target="_blank" rel="noreferrer">
              Documentation
            </Menu.Item>
          )}
          <Menu.Divider />
          <Menu.Item onClick={() => setDuplicating(true)}>Duplicate…</Menu.Item>
          <Menu.Item component={Link} to={paths.export(env, { integrationKey: key })}>
            Export…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Suspense fallback={null}>
        {isDuplicating && <DuplicateIntegration integration={integration} onClose={() => setDuplicating(false)} />}
      </Suspense>
    </>
  );
}
