import { Box, Button, Group, Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Link } from 'react-router';
import { useUpdateConnection } from '../../api/connections/connections-mutations.ts';
import type { ConnectionDetail } from '../../api/contract.ts';
import { useEnv } from '../../api/use-env.ts';
import { CodeInput } from '../../components/form/CodeInput.tsx';
import { useUnsaved } from '../../components/form/unsaved-context.ts';
import { useSaveKey } from '../../components/form/use-save-key.ts';
import { notifyDone, notifyError } from '../../components/notice/notify.ts';
import { Section } from '../../components/page/Section.tsx';
import { ApiError } from '../../lib/api-error.ts';
import { formatCount } from '../../lib/format-number.ts';
import { FUNCTION_LOG_LEVELS } from '../../lib/log-levels.ts';
import { paths } from '../../lib/paths.ts';
import { isWebAddress } from '../../lib/web-address.ts';
import { useConnectionDeletion } from './use-connection-deletion.tsx';

/** The option for a connection without a level of its own. */
const INHERITED = 'environment';

/** The name that was given to it; lists show the ID of the end user where there is none. */
const givenName = ({ endUser, tags }: ConnectionDetail): string =>
  endUser?.displayName ?? tags['end_user_display_name'] ?? '';

const valuesOf = (connection: ConnectionDetail) => ({
  displayName: givenName(connection),
  webhookUrl: connection.webhookUrl ?? '',
  logLevel: (connection.logLevel ?? INHERITED) as LogLevelChoice,
});

type LogLevelChoice = NonNullable<ConnectionDetail['logLevel']> | typeof INHERITED;

export function ConnectionSettings({ connection }: { connection: ConnectionDetail }) {
  return (
    <Box py={16} px="var(--hp-gutter)">
      <SettingsForm connection={connection} />
      <Export connection={connection} />
      <Deletion connection={connection} />
    </Box>
  );
}

function SettingsForm({ connection }: { connection: ConnectionDetail }) {
  const update = useUpdateConnection(connection);
  const form = useForm({
    initialValues: valuesOf(connection),
    validate: {
      displayName: (name) =>
        name.trim() === '' && givenName(connection) !== '' ? 'Enter a name; remove the tag to have none.' : null,
      webhookUrl: (url) =>
        url.trim() !== '' && !isWebAddress(url.trim())
          ? 'Enter an address that starts with https:// or http://.'
          : null,
    },
  });
  useUnsaved('Settings', form.isDirty());
  const submit = form.onSubmit((values) => {
    const displayName = values.displayName.trim();
    update.mutate(
      {
        ...(displayName === givenName(connection) ? {} : { displayName }),
        webhookUrl: values.webhookUrl.trim() || null,
        logLevel: values.logLevel === INHERITED ? null : values.logLevel,
      },
      {
        onSuccess: (saved) => {
          form.setValues(valuesOf(saved));
          form.resetDirty();
          notifyDone('Settings saved');
        },
        onError: (error) => {
          if (error instanceof ApiError && error.issues.some(({ path }) => path.includes('webhook_url_override')))
            form.setFieldError('webhookUrl', error.issues[0]?.message ?? error.message);
          else notifyError(error);
        },
      },
    );
  });
  const element = useSaveKey<HTMLFormElement>(() => {
    if (form.isDirty()) submit();
  });
  return (
    <Section title="General">
      <form ref={element} className="stack gap-16" style={{ maxWidth: 480 }} onSubmit={submit} noValidate>
        <TextInput
          label="Name"
          description="Shown in lists. The connection ID stays, because apps refer to the connection by it."
          {...form.getInputProps('displayName')}
        />
        <CodeInput
          label="Webhook address (optional)"
          description="Webhooks about this connection go here instead of the environment's addresses."
          placeholder="https://app.example.com/webhooks"
          {...form.getInputProps('webhookUrl')}
        />
        <Select
          label="Log level of functions"
          description="Messages of functions below this level are not recorded for this connection."
          data={[{ value: INHERITED, label: 'As in the environment' }, ...FUNCTION_LOG_LEVELS]}
          allowDeselect={false}
          {...form.getInputProps('logLevel')}
        />
        <Group gap={8}>
          <Button type="submit" loading={update.isPending} disabled={!form.isDirty()}>
            Save settings
          </Button>
          {form.isDirty() && (
            <Button variant="subtle" onClick={() => form.reset()}>
              Discard
            </Button>
          )}
        </Group>
      </form>
    </Section>
  );
}

function Export({ connection }: { connection: ConnectionDetail }) {
  const env = useEnv();
  return (
    <Section title="Export">
      <p className="soft">
        A file with this connection, for another environment or another hub. Its credentials are included only with a
        passphrase, which seals them.
      </p>
      <Button variant="default" mt={8} component={Link} to={paths.export(env, connection)}>
        Export connection…
      </Button>
    </Section>
  );
}

function Deletion({ connection }: { connection: ConnectionDetail }) {
  const env = useEnv();
  const { ask, dialog } = useConnectionDeletion(connection, { from: 'page' });
  return (
    <Section title="Delete this connection">
      <p className="soft">
        Removes <code>{connection.connectionId}</code> from <b>{env}</b> with its credentials, syncs and{' '}
        {formatCount(connection.recordCount, 'record')}. Apps that use it get an error. Nothing is changed at the
        provider.
      </p>
      <Button variant="subtle" data-tone="bad" ml={-12} mt={8} onClick={ask}>
        Delete connection…
      </Button>
      {dialog}
    </Section>
  );
}
