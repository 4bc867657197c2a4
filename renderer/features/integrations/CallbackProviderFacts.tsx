import type { IntegrationDetail, ProviderDetail, RedirectRule } from '../../api/contract.ts';
import { DocsLink } from '../../components/DocsLink.tsx';
import { Fact, FactList } from '../../components/FactList.tsx';

const TAKES: Record<RedirectRule, string> = {
  loopback: 'https, and http of this computer',
  localhost: 'https, and http of localhost',
  https: 'https only',
};

/** What is known of the provider's own rules. */
export function CallbackProviderFacts({
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
        {redirectRule ? TAKES[redirectRule] : 'Not known to Homeport. Its setup guide may say so.'}
      </Fact>
      <Fact label="Setup guide">
        <DocsLink url={setupGuideUrl ?? integration.docsUrl} />
      </Fact>
    </FactList>
  );
}
