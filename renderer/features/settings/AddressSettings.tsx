import { Anchor, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { CALLBACK_MODES, type Callback } from '../../api/contract.ts';
import { integrationChoicesQueryOptions } from '../../api/integrations/integrations-queries.ts';
import { readCheck } from '../../api/settings/callback-check.ts';
import { useCallbackCheck } from '../../api/settings/settings-mutations.ts';
import { callbackQueryOptions } from '../../api/settings/settings-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { CopyRow } from '../../components/CopyRow.tsx';
import { Fact, FactList } from '../../components/FactList.tsx';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { Section } from '../../components/page/Section.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Tag } from '../../components/tag/Tag.tsx';
import { paths } from '../../lib/paths.ts';
import classes from './EnvironmentSettings.module.css';

/** The callback address, the integrations that use it, and a check of it. */
export function AddressSettings({ functionsFolder }: { functionsFolder: string }) {
  const env = useEnv();
  const { data: callback, error, refetch } = useQuery(callbackQueryOptions(env));
  return (
    <div id="auth-callback" className={classes['anchor']}>
      {error && !callback && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {callback && <CallbackAddresses callback={callback} />}
      <Section title="Functions folder">
        <FactList wide>
          <Fact label="Folder">
            <CopyRow value={functionsFolder} label="Copy functions folder" />
          </Fact>
        </FactList>
      </Section>
    </div>
  );
}

function CallbackAddresses({ callback }: { callback: Callback }) {
  const env = useEnv();
  const { callbackUrl, port } = callback;
  const integrations = (useQuery(integrationChoicesQueryOptions(env)).data ?? []).filter(({ authMode }) =>
    CALLBACK_MODES.includes(authMode),
  );
  const own = ['localhost', '127.0.0.1'].map((host) => `http://${host}:${port}/oauth/callback`);
  const addresses = own.includes(callbackUrl) ? own : [callbackUrl, ...own];
  return (
    <Section title="Callback address" aside={<CheckButton callbackUrl={callbackUrl} />}>
      <p className="soft pb-12">
        Providers send people back to this address after a sign-in. They treat the two names of this computer as two
        addresses: register the one that is in use, character by character.
      </p>
      <ul className={classes['addresses']} aria-label="Callback addresses">
        {addresses.map((address) => (
          <li className="line-below" key={address}>
            <span className="row">
              <CopyRow value={address} label={`Copy ${address}`} />
              {address === callbackUrl ? <Tag>in use</Tag> : <span className="faint">not in use</span>}
            </span>
            {address === callbackUrl && (
              <p className="own-line note faint">
                {integrations.length === 0
                  ? 'No integration needs it yet.'
                  : `Used by ${integrations.length === 1 ? 'one integration' : `${integrations.length} integrations`}: `}
                {integrations.map(({ key }, index) => (
                  <span key={key}>
                    {index > 0 && ', '}
                    <Link to={paths.callback(env, key)}>{key}</Link>
                  </span>
                ))}
              </p>
            )}
          </li>
        ))}
      </ul>
      <p className="faint small pt-8">
        After a change, register the new address at every provider, or let the old one answer with a 308 redirect.{' '}
        <Anchor component={Link} to={paths.callback(env)} inherit>
          Check or change it
        </Anchor>
      </p>
    </Section>
  );
}

/** Requests the address as a provider's redirect would, and shows the result. */
function CheckButton({ callbackUrl }: { callbackUrl: string }) {
  const check = useCallbackCheck();
  const result = check.data && check.variables === callbackUrl && readCheck(check.data);
  return (
    <span className={`row soft ${classes['result']}`}>
      <span role="status" className="row">
        {result && (
          <>
            <StatusBadge look={result.look} />
            <span>{result.text}</span>
          </>
        )}
      </span>
      <Button size="xs" variant="default" loading={check.isPending} onClick={() => check.mutate(callbackUrl)}>
        Check
      </Button>
    </span>
  );
}
