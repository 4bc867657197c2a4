import { Button } from '@mantine/core';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { useConnectionChanged } from '../../api/connections/connections-mutations.ts';
import { type IntegrationListItem, isRedirectMismatch, type ProviderDetail } from '../../api/contract.ts';
import { useEnv } from '../../api/use-env.ts';
import { useConnectOverlay } from '../../components/connection/use-connect-overlay.tsx';
import { Banner } from '../../components/page/Banner.tsx';
import { paths } from '../../lib/paths.ts';
import { ConnectForm } from './ConnectForm.tsx';

/** Connects an account by authorization, here or with a link. */
export function ConnectPanel({
  integration,
  provider,
}: {
  integration: IntegrationListItem;
  provider: ProviderDetail;
}) {
  const env = useEnv();
  const navigate = useNavigate();
  const changed = useConnectionChanged();
  const [isMismatch, setMismatch] = useState(false);
  const connect = useConnectOverlay({
    onConnect: (made) => {
      changed(made);
      void navigate(paths.connection(env, made));
    },
    onFailure: (message) => setMismatch(isRedirectMismatch(message)),
  });
  return (
    <>
      {integration.missingFields.length > 0 && <Unfinished integration={integration} />}
      {isMismatch && <Mismatch integrationKey={integration.key} />}
      <ConnectForm
        integration={integration}
        provider={provider}
        isOpening={connect.isOpening}
        onConnect={(begin) => connect.open(begin)}
      />
      {connect.overlay}
    </>
  );
}

const FIELD_NAMES: Record<string, string> = { client_id: 'client ID', client_secret: 'client secret' };

function Unfinished({ integration: { key, displayName, missingFields } }: { integration: IntegrationListItem }) {
  const env = useEnv();
  const missing = new Intl.ListFormat('en').format(missingFields.map((name) => FIELD_NAMES[name] ?? name));
  return (
    <Banner
      tone="warn"
      actions={
        <Button size="xs" variant="default" component={Link} to={paths.integration(env, key, 'settings')}>
          Open settings
        </Button>
      }
    >
      <b>{displayName} is not set up yet.</b> It needs {missing}.
    </Banner>
  );
}

function Mismatch({ integrationKey }: { integrationKey: string }) {
  const env = useEnv();
  return (
    <Banner
      tone="bad"
      actions={
        <Button size="xs" variant="default" component={Link} to={paths.callback(env, integrationKey)}>
          Compare addresses
        </Button>
      }
    >
      <b>The provider does not accept the callback address.</b> Nothing was connected.
    </Banner>
  );
}
