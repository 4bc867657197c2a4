import { Button, Select, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from 'react-router';
import type { IntegrationListItem, ProviderDetail } from '../../api/contract.ts';
import { usePracticeAuthorization } from '../../api/integrations/integrations-mutations.ts';
import { integrationChoicesQueryOptions, providerQueryOptions } from '../../api/integrations/integrations-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { PracticeButton } from '../../components/connection/PracticeButton.tsx';
import { useConnectOverlay } from '../../components/connection/use-connect-overlay.tsx';
import { FormPage } from '../../components/form/FormPage.tsx';
import { searchOptions } from '../../components/form/search-options.ts';
import { UnsavedGuard } from '../../components/form/UnsavedGuard.tsx';
import { notifyError } from '../../components/notice/notify.ts';
import { EmptyState } from '../../components/page/EmptyState.tsx';
import { ErrorPage, ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { PageHeader } from '../../components/page/PageHeader.tsx';
import { usePage } from '../../components/page/page-context.ts';
import { useUrlState } from '../../components/page/use-url-state.ts';
import { authModeName } from '../../lib/auth-modes.ts';
import { paths } from '../../lib/paths.ts';
import { ConnectPanel } from './ConnectPanel.tsx';
import { ImportForm } from './ImportForm.tsx';
import { isImportMode } from './import-form.ts';

const SUBS = {
  connect: 'Sign in as one of your users would.',
  import: 'Import credentials that you already have. They are stored encrypted on this computer.',
};

/** Each way of connecting and each integration has a form of its own. */
const FORM_PARAMETERS = ['mode', 'integration_id'];

export function NewConnection() {
  const env = useEnv();
  const navigate = useNavigate();
  const integrations = useQuery(integrationChoicesQueryOptions(env));
  const practice = usePracticeAuthorization();
  // Here and not in the empty state, which unmounts as soon as there is an integration.
  const connect = useConnectOverlay({ onConnect: (made) => void navigate(paths.connection(env, made)) });
  const startPractice = (): void => {
    connect.open(() => practice.mutateAsync(undefined)).catch(notifyError);
  };
  usePage([
    { label: 'Connections', to: paths.connections(env) },
    { label: 'New connection', isTitle: true },
  ]);
  if (integrations.error)
    return <ErrorPage title="New connection" error={integrations.error} onRetry={() => void integrations.refetch()} />;
  if (!integrations.data) return null;
  return (
    <>
      {integrations.data.length === 0 ? (
        <NoIntegration onPractice={startPractice} isPending={connect.isOpening} />
      ) : (
        <UnsavedGuard parameters={FORM_PARAMETERS}>
          <ConnectionModes integrations={integrations.data} />
        </UnsavedGuard>
      )}
      {connect.overlay}
    </>
  );
}

function NoIntegration({ onPractice, isPending }: { onPractice: () => void; isPending: boolean }) {
  const env = useEnv();
  return (
    <>
      <PageHeader title="New connection" />
      <EmptyState
        title="No integrations yet"
        text="A connection belongs to an integration, so create one first. The practice provider works offline and needs no account."
      >
        <PracticeButton isPending={isPending} onClick={onPractice} />
        <Button variant="default" component={Link} to={paths.newIntegration(env)}>
          New integration
        </Button>
      </EmptyState>
    </>
  );
}

/** The integration stays chosen when the way of connecting changes. */
function ConnectionModes({ integrations }: { integrations: IntegrationListItem[] }) {
  const url = useUrlState();
  const mode = url.get('mode') === 'import' ? 'import' : 'connect';
  // With one integration there is nothing to choose.
  const only = integrations.length === 1 ? integrations[0] : undefined;
  const chosen = integrations.find((one) => one.key === url.get('integration_id')) ?? only;
  const provider = useQuery(providerQueryOptions(chosen?.provider));
  const Panel = mode === 'connect' ? ConnectPanel : ImportPanel;
  return (
    <>
      <PageHeader title="New connection" sub={SUBS[mode]} />
      <Tabs value={mode} onChange={(next) => url.set({ mode: next === 'import' ? next : '' }, { replace: true })}>
        <Tabs.List>
          <Tabs.Tab value="connect">Connect</Tabs.Tab>
          <Tabs.Tab value="import">Import</Tabs.Tab>
        </Tabs.List>
      </Tabs>
      <div style={{ paddingTop: 16 }}>
        <FormPage>
          <Select
            label="Integration"
            searchable
            filter={searchOptions}
            data={integrations.map((one) => ({ value: one.key, label: `${one.displayName} (${one.key})` }))}
            value={chosen?.key ?? null}
            placeholder="Choose an integration"
            autoFocus={chosen === undefined}
            openOnFocus={false}
            onChange={(key) => url.set({ integration_id: key ?? '' }, { replace: true })}
          />
          {provider.error && <ErrorPanel error={provider.error} onRetry={() => void provider.refetch()} />}
          {chosen && provider.data && <Panel key={chosen.key} integration={chosen} provider={provider.data} />}
        </FormPage>
      </div>
    </>
  );
}

/** Imports credentials that the person already has. */
function ImportPanel({ integration, provider }: { integration: IntegrationListItem; provider: ProviderDetail }) {
  const { authMode } = provider;
  if (isImportMode(authMode))
    return <ImportForm integrationKey={integration.key} mode={authMode} provider={provider} />;
  return (
    <p className="soft">
      Connections of type {authModeName(authMode)} cannot be entered here. Connect them, or import them through{' '}
      <code>POST /connections</code>.
    </p>
  );
}
