import { Button, Group, Stack } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { ProviderDetail, RedirectRule } from '../../api/contract.ts';
import { CALLBACK_MODES } from '../../api/contract.ts';
import { providerQueryOptions } from '../../api/integrations/integrations-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { ProviderLogo } from '../../components/connection/ProviderLogo.tsx';
import { DocsLink } from '../../components/DocsLink.tsx';
import { Fact, FactList } from '../../components/FactList.tsx';
import { Tag } from '../../components/tag/Tag.tsx';
import { authModeName } from '../../lib/auth-modes.ts';
import { formatCount } from '../../lib/format-number.ts';
import { formatDate } from '../../lib/format-time.ts';
import { paths } from '../../lib/paths.ts';
import { categoryLabel } from './catalogue-choices.ts';

/** Milliseconds: a pointer that only crosses the cards causes no request. */
const SETTLED_MS = 120;

const RULES: Record<RedirectRule, string> = {
  loopback: 'Accepts http addresses of this computer',
  localhost: 'Accepts http://localhost, but no IP address',
  https: 'Accepts https only: use a tunnel or the redirect page',
};

const CONFIRMATIONS: Record<NonNullable<ProviderDetail['confirmation']>['by'], string> = {
  documentation: 'Against the provider’s documentation',
  description: 'Against the provider’s API description',
  recording: 'By a recorded response',
};

interface ProviderPreviewProps {
  name: string | undefined;
  /** The cards that are shown. */
  among: ReadonlyArray<{ name: string }>;
}

/** The requirements of an integration with the provider, beside the cards. */
export function ProviderPreview({ name, among }: ProviderPreviewProps) {
  const [settled] = useDebouncedValue(name, SETTLED_MS);
  const { data } = useQuery({ ...providerQueryOptions(settled), placeholderData: (before) => before });
  // What the search has taken away is not shown until the next one is there.
  const provider = data && among.some((one) => one.name === data.name) ? data : undefined;
  return (
    <aside
      className="rigid scroll sunken"
      style={{ width: 320, padding: '20px 24px 24px', borderLeft: '1px solid var(--hp-border)' }}
      aria-label="About the provider"
    >
      {provider && <Facts provider={provider} />}
    </aside>
  );
}

function Facts({ provider }: { provider: ProviderDetail }) {
  const env = useEnv();
  const { authMode, displayName, name, integrationFields, credentialFields, connectionFields } = provider;
  const asked = [...integrationFields, ...credentialFields, ...connectionFields].filter(
    ({ hidden, automated, optional }) => !hidden && !automated && !optional,
  );
  return (
    <>
      <div className="row gap-12">
        <ProviderLogo key={name} provider={name} name={displayName} size={40} tile />
        <div>
          <h2 style={{ fontSize: 15 }}>{displayName}</h2>
          <code className="faint">{name}</code>
        </div>
      </div>
      <Group gap={4} align="stretch" my={12}>
        {provider.categories.map((one) => (
          <Tag key={one}>{categoryLabel(one)}</Tag>
        ))}
      </Group>
      <FactList>
        <Fact label="Auth type">{authModeName(authMode)}</Fact>
        <Fact label="Asks for">
          {asked.length > 0 ? asked.map(({ title }) => title).join(', ') : 'Nothing beyond its auth type'}
        </Fact>
        <Fact label="Default scopes">
          {provider.defaultScopes.length > 0 ? <code>{provider.defaultScopes.join(' ')}</code> : 'None'}
        </Fact>
        <Fact label="Base address">
          {provider.baseUrl ? <code>{provider.baseUrl}</code> : 'Given by each connection'}
        </Fact>
        {CALLBACK_MODES.includes(authMode) && (
          <Fact label="Local callback">
            {provider.redirectRule ? RULES[provider.redirectRule] : 'Unknown. Try http://localhost first'}
          </Fact>
        )}
        <Fact label="Templates">
          {provider.templateCount > 0 ? formatCount(provider.templateCount, 'function') : 'None yet'}
        </Fact>
        <Fact label="Checked">
          <Confirmation provider={provider} />
        </Fact>
        <Fact label="Documentation">
          <DocsLink url={provider.docsUrl} />
        </Fact>
      </FactList>
      <Stack gap={8} mt={20}>
        <Button component={Link} to={paths.newIntegration(env, name)}>
          Use {displayName}
        </Button>
        <Button component={Link} to={paths.providerEntry(env, name)} variant="default">
          {provider.source === 'built-in' ? 'Change its definition' : 'Edit its definition'}
        </Button>
      </Stack>
    </>
  );
}

/** How the entry was confirmed, and when, as far as that is known. */
function Confirmation({ provider: { confirmation, isConfirmed, source, unconfirmed } }: { provider: ProviderDetail }) {
  const how = confirmation
    ? `${CONFIRMATIONS[confirmation.by]}, ${formatDate(confirmation.day)}`
    : source === 'workspace'
      ? 'Not recorded'
      : CONFIRMATIONS.documentation;
  if (isConfirmed) return how;
  const rest = `Not confirmed: ${unconfirmed.join(', ') || 'parts of the entry'}`;
  return confirmation ? `${how}. ${rest}` : rest;
}
