import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { describeError } from '../../api/api-error.ts';
import { useRefreshConnection } from '../../api/connections/connections-mutations.ts';
import type { ConnectionDetail } from '../../api/contract.ts';
import { useReveal } from '../../api/settings/settings-mutations.ts';
import { Fact, FactList } from '../../components/FactList.tsx';
import { JsonTree } from '../../components/JsonTree.tsx';
import { notifyDone, notifyError } from '../../components/notify.ts';
import { SecretField } from '../../components/SecretField.tsx';
import { Section } from '../../components/Section.tsx';
import { Tag } from '../../components/Tag.tsx';
import { authModeName } from '../../lib/auth-modes.ts';
import classes from './ConnectionPage.module.css';
import { MetadataEditor } from './MetadataEditor.tsx';

export function AuthTab({ connection }: { connection: ConnectionDetail }) {
  return (
    <div className={classes['pad']}>
      <Credentials connection={connection} />
      {connection.scopes.length > 0 && (
        <Section title="Scopes">
          <div className="row" style={{ flexWrap: 'wrap', gap: 4 }}>
            {connection.scopes.map((scope) => (
              <Tag key={scope}>{scope}</Tag>
            ))}
          </div>
        </Section>
      )}
      <Section title="Connection configuration">
        {Object.keys(connection.connectionConfig).length === 0 ? (
          <p className="faint">Empty</p>
        ) : (
          <JsonTree value={connection.connectionConfig} label="Connection configuration" maxHeight={240} />
        )}
      </Section>
      <MetadataEditor connection={connection} />
    </div>
  );
}

function Credentials({ connection }: { connection: ConnectionDetail }) {
  const refresh = useRefreshConnection(connection);
  const reveal = useReveal();
  const { integrationKey, connectionId } = connection;
  const onError = (error: unknown): void => notifyError(describeError(error));
  const button = connection.isRefreshable && (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconRefresh size={14} stroke={1.6} />}
      loading={refresh.isPending}
      onClick={() => refresh.mutate(undefined, { onSuccess: () => notifyDone('Token refreshed'), onError })}
    >
      Refresh token
    </Button>
  );
  return (
    <Section title={`Credentials, ${authModeName(connection.authMode)}`} aside={button}>
      {connection.credentials.length === 0 ? (
        <p className="faint">This provider needs none.</p>
      ) : (
        <FactList wide>
          {connection.credentials.map((field) => (
            <Fact key={field.name} label={field.title}>
              {field.isSecret ? (
                <SecretField
                  label={field.title}
                  reveal={() =>
                    reveal.mutateAsync({ kind: 'credential', integrationKey, connectionId, field: field.name })
                  }
                  onError={onError}
                />
              ) : (
                <code>{field.value ?? '–'}</code>
              )}
            </Fact>
          ))}
        </FactList>
      )}
    </Section>
  );
}
