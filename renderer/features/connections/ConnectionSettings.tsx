import { Button, Group, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { ApiError, describeError } from '../../api/api-error.ts';
import { useUpdateConnection } from '../../api/connections/connections-mutations.ts';
import type { ConnectionDetail } from '../../api/contract.ts';
import { useEnv } from '../../api/use-env.ts';
import { notifyDone, notifyError } from '../../components/notify.ts';
import { Section } from '../../components/Section.tsx';
import { useUnsaved } from '../../components/unsaved-context.ts';
import { useSaveKey } from '../../components/use-save-key.ts';
import { formatCount } from '../../lib/format-number.ts';
import classes from './ConnectionPage.module.css';
import { useConnectionDeletion } from './use-connection-deletion.tsx';

const isWebAddress = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? '');

const valuesOf = ({ displayName, webhookUrl }: ConnectionDetail) => ({
  displayName: displayName ?? '',
  webhookUrl: webhookUrl ?? '',
});

export function ConnectionSettings({ connection }: { connection: ConnectionDetail }) {
  return (
    <div className={classes['pad']}>
      <SettingsForm connection={connection} />
      <Deletion connection={connection} />
    </div>
  );
}

function SettingsForm({ connection }: { connection: ConnectionDetail }) {
  const update = useUpdateConnection(connection);
  const form = useForm({
    initialValues: valuesOf(connection),
    validate: {
      displayName: (name) =>
        name.trim() === '' && connection.displayName !== null ? 'Enter a name; remove the tag to have none.' : null,
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
        ...(displayName === (connection.displayName ?? '') ? {} : { displayName }),
        webhookUrl: values.webhookUrl.trim() || null,
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
          else notifyError(describeError(error));
        },
      },
    );
  });
  const element = useSaveKey<HTMLFormElement>(() => {
    if (form.isDirty()) submit();
  });
  return (
    <Section title="General">
      <form ref={element} className={classes['form']} onSubmit={submit} noValidate>
        <TextInput
          label="Name"
          description="Shown in lists. The connection ID stays, because apps refer to the connection by it."
          {...form.getInputProps('displayName')}
        />
        <TextInput
          label="Webhook address (optional)"
          description="Webhooks about this connection go here instead of the environment's addresses."
          placeholder="https://app.example.com/webhooks"
          spellCheck={false}
          classNames={{ input: 'mono' }}
          {...form.getInputProps('webhookUrl')}
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

function Deletion({ connection }: { connection: ConnectionDetail }) {
  const env = useEnv();
  const { ask, dialog } = useConnectionDeletion(connection);
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
