import { Button, SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTestConnection } from '../../api/connections/connections-mutations.ts';
import type { ConnectionDetail, ConnectionTestResult } from '../../api/contract.ts';
import { metaQueryOptions } from '../../api/hub/hub-queries.ts';
import { useReveal } from '../../api/settings/settings-mutations.ts';
import { SnippetBox } from '../../components/code/SnippetBox.tsx';
import { Fact, FactList } from '../../components/FactList.tsx';
import { firstClick } from '../../components/form/first-click.ts';
import { SecretField } from '../../components/form/SecretField.tsx';
import { useShownSecret } from '../../components/form/use-shown-secret.ts';
import { JsonViewer } from '../../components/json/JsonViewer.tsx';
import { notifyDone, notifyError } from '../../components/notice/notify.ts';
import { LockedNotice } from '../../components/page/LockedNotice.tsx';
import { Section } from '../../components/page/Section.tsx';
import { Tag } from '../../components/tag/Tag.tsx';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { authModeName } from '../../lib/auth-modes.ts';
import { formatDateTime } from '../../lib/format-time.ts';
import classes from './ConnectionPage.module.css';
import { credentialSnippets, proxySnippets } from './connection-snippets.ts';
import { MetadataEditor } from './MetadataEditor.tsx';
import { TagsEditor } from './TagsEditor.tsx';
import { TokenHistory } from './TokenHistory.tsx';

export function AuthTab({ connection }: { connection: ConnectionDetail }) {
  return (
    <div style={{ padding: '16px var(--hp-gutter)', container: 'auth / inline-size' }}>
      <div className={`grid ${classes['authColumns']}`}>
        <div>
          <Credentials connection={connection} />
          <UseConnection connection={connection} />
          <RawResponse connection={connection} />
          <TokenHistory connection={connection} />
        </div>
        <div>
          {connection.scopes && connection.scopes.length > 0 && (
            <Section title="Scopes">
              <div className="row" style={{ flexWrap: 'wrap', gap: 4 }}>
                {connection.scopes.map((scope) => (
                  <Tag key={scope}>{scope}</Tag>
                ))}
              </div>
            </Section>
          )}
          {Object.keys(connection.connectionConfig).length > 0 && (
            <Section title="Connection configuration">
              <JsonViewer
                json={JSON.stringify(connection.connectionConfig)}
                label="Connection configuration"
                height={240}
                isPlain
              />
            </Section>
          )}
          <TagsEditor connection={connection} />
          <MetadataEditor connection={connection} />
        </div>
      </div>
    </div>
  );
}

function PlainValue({ name, value }: { name: string; value: string | null }) {
  if (value === null) return <span className="faint">None</span>;
  if (name === 'expires_at' && !Number.isNaN(Date.parse(value)))
    return (
      <>
        {formatDateTime(value)}
        <span className="faint">
          <RelativeTime at={value} />
        </span>
      </>
    );
  return <code>{value}</code>;
}

const CALLS = [
  { value: 'proxy', label: 'Call the provider' },
  { value: 'credentials', label: 'Read the credentials' },
];

function UseConnection({ connection }: { connection: ConnectionDetail }) {
  const { data: meta } = useQuery(metaQueryOptions());
  const [call, setCall] = useState('proxy');
  if (!meta) return null;
  const { integrationKey, connectionId } = connection;
  const target = { apiUrl: meta.apiUrl, integrationKey, connectionId };
  return (
    <Section
      title="Use this connection"
      aside={
        <SegmentedControl aria-label="What the code does" size="xs" data={CALLS} value={call} onChange={setCall} />
      }
    >
      <SnippetBox snippets={call === 'proxy' ? proxySnippets(target) : credentialSnippets(target)} />
    </Section>
  );
}

const RAW = 'raw';

/** The provider's response when it issued the token, hidden until requested. */
function RawResponse({ connection }: { connection: ConnectionDetail }) {
  const reveal = useReveal();
  const [shown, show] = useShownSecret();
  const { integrationKey, connectionId } = connection;
  if (!connection.credentials?.some(({ name }) => name === RAW)) return null;
  const toggle = (): void => {
    if (shown !== undefined) return show(undefined);
    reveal.mutateAsync({ kind: 'credential', integrationKey, connectionId, field: RAW }).then(show, notifyError);
  };
  return (
    <Section
      title="Raw token response"
      aside={
        <Button size="xs" variant="default" loading={reveal.isPending} onClick={toggle}>
          {shown === undefined ? 'Show raw response' : 'Hide raw response'}
        </Button>
      }
    >
      {shown === undefined ? (
        <p className="faint">Hidden, because it holds the tokens. It hides again after 30 seconds.</p>
      ) : (
        <JsonViewer json={shown} label="Raw token response" height={320} isPlain />
      )}
    </Section>
  );
}

function Credentials({ connection }: { connection: ConnectionDetail }) {
  const reveal = useReveal();
  const test = useTestConnection(connection);
  const { integrationKey, connectionId } = connection;
  const fields = connection.credentials?.filter(({ name }) => name !== RAW);
  return (
    <Section
      title={`Credentials, ${authModeName(connection.authMode)}`}
      aside={
        connection.isTestable ? (
          <Button
            size="xs"
            variant="default"
            // Sealed credentials cannot be sent; the notice below unlocks them.
            disabled={fields === undefined}
            loading={test.isPending}
            onClick={firstClick(() => test.mutate(undefined, { onSuccess: tellResult }))}
          >
            Test credentials
          </Button>
        ) : (
          <span className="faint">This provider has no test for them</span>
        )
      }
    >
      {fields === undefined ? (
        <LockedNotice>The credentials are kept sealed. What is shown elsewhere on this page needs no key.</LockedNotice>
      ) : fields.length === 0 ? (
        <p className="faint">This provider needs none.</p>
      ) : (
        <FactList wide>
          {fields.map((field) => (
            <Fact key={field.name} label={field.title}>
              {field.isSecret ? (
                <SecretField
                  label={field.title}
                  reveal={() =>
                    reveal.mutateAsync({ kind: 'credential', integrationKey, connectionId, field: field.name })
                  }
                />
              ) : (
                <PlainValue name={field.name} value={field.value} />
              )}
            </Fact>
          ))}
        </FactList>
      )}
    </Section>
  );
}

function tellResult(result: ConnectionTestResult | undefined): void {
  if (result?.outcome === 'accepted') notifyDone('The provider accepts the credentials');
  else if (result?.outcome === 'no_test') notifyDone('This provider has no test for credentials');
  else if (result?.message) notifyError({ code: 'connection_test_failed', message: result.message });
}
