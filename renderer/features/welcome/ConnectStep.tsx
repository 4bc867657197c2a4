import { Button, TextInput } from '@mantine/core';
import { IconPlugConnected, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import {
  type ConnectionRef,
  connectionChoicesQueryOptions,
  connectionQueryOptions,
} from '../../api/connections/connections-queries.ts';
import { usePracticeAuthorization } from '../../api/integrations/integrations-mutations.ts';
import { integrationChoicesQueryOptions, providersQueryOptions } from '../../api/integrations/integrations-queries.ts';
import { useChange } from '../../api/use-change.ts';
import { useEnv } from '../../api/use-env.ts';
import { ProviderLogo } from '../../components/connection/ProviderLogo.tsx';
import { useConnectOverlay } from '../../components/connection/use-connect-overlay.tsx';
import { goToFirstRow } from '../../components/form/leave-field.ts';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { describeError } from '../../lib/api-error.ts';
import { authModeName } from '../../lib/auth-modes.ts';
import { type FirstRunState, FROM_FIRST_RUN } from '../../lib/first-run.ts';
import { paths } from '../../lib/paths.ts';
import type { StepProps } from './step-props.ts';
import { TokenLife } from './TokenLife.tsx';
import classes from './WelcomeStep.module.css';

const LEADS: Record<FirstRunState['way'], string> = {
  practice: 'Sign in as one person of your app would, on the page that your app would open. It works offline.',
  provider: 'Set up your provider once, then sign in to it. What you set up stays when you leave this page.',
  import: 'Import what you have, then choose a connection to continue with.',
};

/** Connects one account through the page that an app opens for its users. */
export function ConnectStep(props: StepProps) {
  const { heading, firstRun, isDone, onDone, change, problem, setProblem } = props;
  const env = useEnv();
  const choose = ({ integrationKey, connectionId }: ConnectionRef): void => {
    change({ connection: { integrationKey, connectionId }, connectedBy: firstRun.way });
    setProblem(undefined);
    onDone();
  };
  const connecting = useConnectOverlay({ onConnect: choose, isQuiet: true });
  const practice = usePracticeAuthorization();
  const session = useChange('POST /api/v1/connect-sessions', { ownError: true });
  const [retry, setRetry] = useState<() => void>();
  const open = (begin: () => Promise<{ token: string }>): void => {
    setProblem(undefined);
    connecting.open(begin).catch((error: unknown) => {
      setProblem(describeError(error));
      setRetry(() => () => open(begin));
    });
  };
  const beginPractice = () => practice.mutateAsync(undefined);
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        {isDone ? 'Your first connection' : 'Connect an account'}
      </h1>
      <p className={`soft ${classes['lead']}`}>
        {isDone ? 'Homeport stores its credentials and refreshes them.' : LEADS[firstRun.way]}
      </p>
      {problem && <ErrorPanel error={problem} onRetry={retry ?? (() => open(beginPractice))} />}
      {isDone && firstRun.connection ? (
        <TokenLife connection={firstRun.connection} />
      ) : (
        <>
          {firstRun.way === 'practice' && (
            <div className={`row wrap ${classes['action']}`}>
              <Button
                loading={connecting.isOpening}
                leftSection={<IconPlugConnected size={16} stroke={1.6} aria-hidden />}
                onClick={() => open(beginPractice)}
              >
                Sign in to the practice provider
              </Button>
              <p className="soft">
                A page of the practice provider opens in a window of its own. Choose a person there and allow it.
              </p>
            </div>
          )}
          {firstRun.way === 'provider' && (
            <OwnProvider
              isOpening={connecting.isOpening}
              onConnect={(integrationKey) => open(() => session.mutateAsync({ body: { integrationKey } }))}
            />
          )}
          {firstRun.way === 'import' && (
            <div className={`row wrap ${classes['action']}`}>
              <Button component={Link} to={`/${env}/import`}>
                Import a file or from a hub
              </Button>
              <Button variant="default" component={Link} to={`${paths.newConnection(env)}?mode=import`}>
                Import one connection
              </Button>
              <p className="soft">Come back through “Getting started” in the help menu when it exists.</p>
            </div>
          )}
          <TokenLife connection={undefined} />
        </>
      )}
      {!(isDone && firstRun.connection) && <Existing onChoose={choose} />}
      {connecting.overlay}
    </>
  );
}

/** The existing integrations to connect to; otherwise providers to set one up. */
function OwnProvider({ isOpening, onConnect }: { isOpening: boolean; onConnect: (integrationKey: string) => void }) {
  const env = useEnv();
  const [search, setSearch] = useState('');
  const integrations = useQuery(integrationChoicesQueryOptions(env)).data ?? [];
  const providers = useQuery(providersQueryOptions()).data ?? [];
  const own = integrations.filter(({ provider }) => !provider.startsWith('practice'));
  const wanted = search.trim().toLowerCase();
  const fits = (texts: string[]): boolean => texts.some((text) => text.toLowerCase().includes(wanted));
  const found = providers.filter(({ name, displayName, searchTerms }) => fits([name, displayName, ...searchTerms]));
  return (
    <div className="stack gap-16">
      {own.length > 0 && (
        <Rows label="Already set up">
          {own.slice(0, 4).map(({ key, provider, displayName, missingFields }) => (
            <Row key={key} provider={provider} name={displayName} note={key}>
              <Button
                size="xs"
                variant="default"
                disabled={missingFields.length > 0 || isOpening}
                aria-label={`Connect to ${displayName}`}
                onClick={() => onConnect(key)}
              >
                Connect
              </Button>
            </Row>
          ))}
        </Rows>
      )}
      <TextInput
        label="Provider"
        placeholder="Name of the service"
        leftSection={<IconSearch size={16} stroke={1.6} aria-hidden />}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        onKeyDown={(event) => {
          const isGo = event.key === 'Enter' || event.key === 'ArrowDown';
          if (isGo && !event.nativeEvent.isComposing && goToFirstRow(event.currentTarget)) event.preventDefault();
        }}
      />
      {wanted !== '' && (
        <Rows label="Providers" isFound>
          {found.slice(0, 5).map(({ name, displayName, authMode }) => (
            <Row key={name} provider={name} name={displayName} note={authModeName(authMode)}>
              <Button
                size="xs"
                variant="default"
                component={Link}
                to={paths.newIntegration(env, name)}
                state={FROM_FIRST_RUN}
                aria-label={`Set up ${displayName}`}
              >
                Set up
              </Button>
            </Row>
          ))}
          {found.length === 0 && (
            <li className="faint">
              No provider has this name.
              <Link to={`${paths.providerEntry(env)}?name=${encodeURIComponent(search.trim())}`} state={FROM_FIRST_RUN}>
                Define your own
              </Link>
            </li>
          )}
        </Rows>
      )}
    </div>
  );
}

/** Existing connections, which the next steps can use. */
function Existing({ onChoose }: { onChoose: (connection: ConnectionRef) => void }) {
  const env = useEnv();
  const rows = useQuery(connectionChoicesQueryOptions(env, '')).data ?? [];
  if (rows.length === 0) return null;
  return (
    <Rows label="Or use an existing connection">
      {rows.slice(0, 3).map((row) => (
        <Row
          key={`${row.integrationKey}/${row.connectionId}`}
          provider={row.provider}
          name={row.displayName ?? row.connectionId}
          note={row.integrationName}
        >
          <Button
            size="xs"
            variant="default"
            aria-label={`Use ${row.displayName ?? row.connectionId}`}
            onClick={() => onChoose(row)}
          >
            Use it
          </Button>
        </Row>
      ))}
    </Rows>
  );
}

function Rows({ label, isFound, children }: { label: string; isFound?: boolean; children: ReactNode }) {
  return (
    <section className={classes['rows']} aria-label={label} data-found={isFound || undefined}>
      <h2>{label}</h2>
      <ul>{children}</ul>
    </section>
  );
}

interface RowProps {
  provider: string;
  name: string;
  note: string;
  children: ReactNode;
}

function Row({ provider, name, note, children }: RowProps) {
  return (
    <li>
      <ProviderLogo provider={provider} name={name} size={20} />
      <span className="name cut">{name}</span>
      <span className="faint cut">{note}</span>
      {children}
    </li>
  );
}

/** The connection for the next steps, read from the hub; undefined: none, or it was deleted. */
export function useFirstConnection({ connection }: FirstRunState) {
  const env = useEnv();
  const { data } = useQuery({
    ...connectionQueryOptions(env, connection ?? { integrationKey: '', connectionId: '' }),
    enabled: connection !== null,
  });
  return connection === null ? undefined : data;
}

/** Shown in place of a step that needs a connection when there is none. */
export function NeedsConnection({ go }: Pick<StepProps, 'go'>) {
  return (
    <div className={`row wrap ${classes['action']}`}>
      <Button onClick={() => go('connect')}>Connect an account</Button>
      <p className="soft">This step works with a connection, and there is none yet.</p>
    </div>
  );
}
