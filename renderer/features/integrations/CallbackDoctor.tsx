import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'react-router';
import type { IntegrationDetail, ProviderDetail, RedirectRule } from '../../api/contract.ts';
import { integrationQueryOptions, providerQueryOptions } from '../../api/integrations/integrations-queries.ts';
import { callbackQueryOptions } from '../../api/settings/settings-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { ProviderLogo } from '../../components/connection/ProviderLogo.tsx';
import { DocsLink } from '../../components/DocsLink.tsx';
import { Fact, FactList } from '../../components/FactList.tsx';
import { FormPage } from '../../components/form/FormPage.tsx';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { PageHeader } from '../../components/page/PageHeader.tsx';
import { type Breadcrumb, usePage } from '../../components/page/page-context.ts';
import { paths } from '../../lib/paths.ts';
import { AddressComparison } from './AddressComparison.tsx';
import { CallbackAddress } from './CallbackAddress.tsx';
import { CallbackSetting } from './CallbackSetting.tsx';
import { CallbackTest } from './CallbackTest.tsx';

const TITLE = 'Callback address';

/** Explains why a provider does not redirect back, for one integration or for all of them. */
export function CallbackDoctor() {
  const { integrationKey } = useParams();
  return integrationKey === undefined ? <Doctor /> : <OfIntegration integrationKey={integrationKey} />;
}

function OfIntegration({ integrationKey }: { integrationKey: string }) {
  const env = useEnv();
  const { data, error, refetch } = useQuery(integrationQueryOptions(env, integrationKey));
  if (error && !data) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  return data ? <Doctor integration={data} /> : null;
}

function Doctor({ integration }: { integration?: IntegrationDetail }) {
  const env = useEnv();
  const { data: callback, error, refetch } = useQuery(callbackQueryOptions(env));
  const provider = useQuery(providerQueryOptions(integration?.provider));
  const breadcrumbs: Breadcrumb[] = integration
    ? [
        { label: 'Integrations', to: paths.integrations(env) },
        { label: integration.displayName, to: paths.integration(env, integration.key, 'settings') },
      ]
    : [];
  usePage([...breadcrumbs, { label: TITLE, isTitle: true }]);
  if (error && !callback) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!callback) return null;
  return (
    <>
      <PageHeader
        title={TITLE}
        sub="Providers redirect people to this address after a sign-in. The provider’s list must contain exactly this address."
        {...(integration
          ? { logo: <ProviderLogo provider={integration.provider} name={integration.displayName} size={40} tile /> }
          : {})}
      >
        {integration && (
          <Button variant="default" component={Link} to={paths.newConnection(env, integration.key)}>
            New connection
          </Button>
        )}
      </PageHeader>
      <FormPage
        aside={
          integration && provider.data && <CallbackProviderFacts integration={integration} provider={provider.data} />
        }
      >
        <CallbackAddress callback={callback} provider={provider.data} />
        <AddressComparison expected={callback.callbackUrl} />
        <CallbackTest callback={callback} />
        <CallbackSetting key={callback.setting} callback={callback} />
      </FormPage>
    </>
  );
}

const TAKES: Record<RedirectRule, string> = {
  loopback: 'https, and http of this computer',
  localhost: 'https, and http of localhost',
  https: 'https only',
};

/** The known rules of the provider. */
function CallbackProviderFacts({
  integration,
  provider,
}: {
  integration: IntegrationDetail;
  provider: ProviderDetail;
}) {
  const { redirectRule, setupGuideUrl } = provider;
  return (
    <FactList>
      <Fact label="Integration">{integration.displayName}</Fact>
      <Fact label={`What ${provider.displayName} takes`}>
        {redirectRule ? TAKES[redirectRule] : 'Homeport does not know. The setup guide may say so.'}
      </Fact>
      <Fact label="Setup guide">
        <DocsLink url={setupGuideUrl ?? integration.docsUrl} />
      </Fact>
    </FactList>
  );
}
