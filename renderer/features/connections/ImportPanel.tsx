import { Button, Select } from '@mantine/core';
import { Link } from 'react-router';
import { describeError } from '../../api/api-error.ts';
import { useEnv } from '../../api/use-env.ts';
import { useIntegrationOptions } from '../../api/use-integration-options.ts';
import { useProvider } from '../../api/use-provider.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorPanel } from '../../components/ErrorPanel.tsx';
import { FormPage } from '../../components/FormPage.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { usePage } from '../../components/page-context.ts';
import { useUrlState } from '../../components/use-url-state.ts';
import { authModeName } from '../../lib/auth-modes.ts';
import { paths } from '../../lib/paths.ts';
import { ImportForm } from './ImportForm.tsx';
import { isImportMode } from './import-form.ts';

export function ImportConnection() {
  const env = useEnv();
  const url = useUrlState();
  const integrations = useIntegrationOptions();
  const chosen = integrations.data?.find((one) => one.key === url.get('integration_id'));
  const provider = useProvider(chosen?.provider);
  usePage([{ label: 'Connections', to: paths.connections(env) }, { label: 'New connection' }]);
  if (integrations.error)
    return <ErrorPanel {...describeError(integrations.error)} onRetry={() => void integrations.refetch()} />;
  if (!integrations.data) return null;
  if (integrations.data.length === 0) {
    return (
      <>
        <PageHeader title="New connection" />
        <EmptyState title="No integrations yet" text="A connection belongs to an integration, so create one first.">
          <Button component={Link} to={paths.newIntegration(env)}>
            New integration
          </Button>
        </EmptyState>
      </>
    );
  }
  const options = integrations.data.map((one) => ({ value: one.key, label: `${one.displayName} (${one.key})` }));
  return (
    <>
      <PageHeader
        title="New connection"
        sub="Import credentials that you already have. They are stored encrypted on this computer."
      />
      <FormPage>
        <Select
          label="Integration"
          searchable
          data={options}
          value={chosen?.key ?? null}
          placeholder="Choose an integration"
          onChange={(key) => url.set({ integration_id: key ?? '' }, { replace: true })}
        />
        {provider.error && <ErrorPanel {...describeError(provider.error)} onRetry={() => void provider.refetch()} />}
        {chosen && provider.data && isImportMode(provider.data.authMode) && (
          <ImportForm
            key={chosen.key}
            integrationKey={chosen.key}
            mode={provider.data.authMode}
            provider={provider.data}
          />
        )}
        {chosen && provider.data && !isImportMode(provider.data.authMode) && (
          <p className="soft">
            Connections of type {authModeName(provider.data.authMode)} cannot be typed in. Import them through{' '}
            <code>POST /connections</code> or sign in through a connect session of your app.
          </p>
        )}
      </FormPage>
    </>
  );
}
