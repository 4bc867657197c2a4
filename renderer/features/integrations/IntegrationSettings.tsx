import { Anchor, Button, Group, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Link, useNavigate } from 'react-router';
import { describeError } from '../../api/api-error.ts';
import { CALLBACK_MODES, type IntegrationDetail } from '../../api/contract.ts';
import { useDeleteIntegration, useUpdateIntegration } from '../../api/integrations/integrations-mutations.ts';
import { useReveal } from '../../api/settings/settings-mutations.ts';
import { useEnv, useIsProduction } from '../../api/use-env.ts';
import { CopyRow } from '../../components/CopyRow.tsx';
import { DocsLink } from '../../components/DocsLink.tsx';
import { Fact, FactList } from '../../components/FactList.tsx';
import { FieldInput } from '../../components/FieldInput.tsx';
import { FormPage } from '../../components/FormPage.tsx';
import { notifyDone, notifyError } from '../../components/notify.ts';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { SecretField } from '../../components/SecretField.tsx';
import { useConfirm } from '../../components/use-confirm.tsx';
import { authModeName } from '../../lib/auth-modes.ts';
import { formatCount } from '../../lib/format-number.ts';
import { paths } from '../../lib/paths.ts';

/** Losing more connections than this asks for the key to be typed. */
const TYPED_ABOVE = 5;

export function IntegrationSettings({ integration }: { integration: IntegrationDetail }) {
  const update = useUpdateIntegration(integration.key);
  const fields = integration.fields.filter((field) => !field.automated && !field.hidden);
  const form = useForm({
    initialValues: {
      displayName: integration.displayName,
      forwardWebhooks: integration.forwardWebhooks,
      config: Object.fromEntries(fields.map((field) => [field.name, integration.config[field.name] ?? ''])),
    },
    validate: {
      displayName: (name) => (name.trim() === '' ? 'Enter a name.' : null),
      config: Object.fromEntries(
        fields.map((field) => [
          field.name,
          (value: string) =>
            value !== '' && field.pattern && !new RegExp(field.pattern).test(value)
              ? `${field.title} does not have the expected form.`
              : null,
        ]),
      ),
    },
  });
  const submit = form.onSubmit(({ config, ...rest }) => {
    // A secret that was left empty stays as it is stored.
    const changed = Object.entries(config).filter(
      ([name, value]) => value !== '' || integration.config[name] !== undefined,
    );
    update.mutate(
      { ...rest, config: Object.fromEntries(changed.map(([name, value]) => [name, value === '' ? null : value])) },
      {
        onSuccess: () => {
          form.resetDirty();
          notifyDone('Settings saved');
        },
        onError: (error) => notifyError(describeError(error)),
      },
    );
  });
  return (
    <div style={{ paddingTop: 16 }}>
      <FormPage aside={<Aside integration={integration} />}>
        <form onSubmit={submit} noValidate>
          <TextInput label="Display name" {...form.getInputProps('displayName')} />
          {fields.map((field) => {
            const input = form.getInputProps(`config.${field.name}`);
            const isSet = integration.secretsSet.includes(field.name);
            return (
              <FieldInput
                key={field.name}
                field={field}
                value={input.value as string}
                error={input.error as string | undefined}
                placeholder={isSet ? 'Stored. Type to replace it.' : undefined}
                onChange={(value) => form.setFieldValue(`config.${field.name}`, value)}
              />
            );
          })}
          <Switch
            label="Forward webhooks of the provider to my app"
            checked={form.values.forwardWebhooks}
            onChange={(event) => form.setFieldValue('forwardWebhooks', event.currentTarget.checked)}
          />
          <Group gap={8} pt={8}>
            <Button type="submit" loading={update.isPending} disabled={!form.isDirty()}>
              Save settings
            </Button>
          </Group>
        </form>
        <DeleteIntegration integration={integration} />
      </FormPage>
    </div>
  );
}

function Aside({ integration }: { integration: IntegrationDetail }) {
  const env = useEnv();
  const reveal = useReveal();
  const { key: integrationKey, docsUrl } = integration;
  const titles = new Map(integration.fields.map((field) => [field.name, field.title]));
  return (
    <FactList>
      <Fact label="Provider">{integration.provider}</Fact>
      <Fact label="Auth type">{authModeName(integration.authMode)}</Fact>
      {CALLBACK_MODES.includes(integration.authMode) && (
        <Fact label="Callback address">
          <CopyRow value={integration.callbackUrl} label="Copy callback address" />
          <Anchor component={Link} to={paths.callback(env, integrationKey)} fz="sm">
            Check or change it
          </Anchor>
        </Fact>
      )}
      <Fact label="Webhook address">
        {integration.webhookUrl ? (
          <CopyRow value={integration.webhookUrl} label="Copy webhook address" />
        ) : (
          'The provider sends no webhooks'
        )}
      </Fact>
      {integration.secretsSet.map((field) => (
        <Fact key={field} label={titles.get(field) ?? field}>
          <SecretField
            label={titles.get(field) ?? field}
            reveal={() => reveal.mutateAsync({ kind: 'integration', integrationKey, field })}
            onError={(error) => notifyError(describeError(error))}
          />
        </Fact>
      ))}
      <Fact label="Documentation">
        <DocsLink url={docsUrl} />
      </Fact>
      <Fact label="Created">
        <RelativeTime at={integration.createdAt} />
      </Fact>
      <Fact label="Updated">
        <RelativeTime at={integration.updatedAt} />
      </Fact>
    </FactList>
  );
}

function DeleteIntegration({ integration }: { integration: IntegrationDetail }) {
  const env = useEnv();
  const navigate = useNavigate();
  const remove = useDeleteIntegration();
  const isProduction = useIsProduction();
  const confirm = useConfirm();
  const ask = (): void =>
    confirm.ask({
      title: `Delete ${integration.displayName}?`,
      text: `${formatCount(integration.connectionCount, 'connection')} with their credentials and records are deleted too. Nothing is changed at the provider.`,
      action: 'Delete integration',
      typed: isProduction || integration.connectionCount > TYPED_ABOVE ? integration.key : undefined,
      run: async () => {
        await remove.mutateAsync(integration.key);
        void navigate(paths.integrations(env));
        notifyDone(`Integration ${integration.key} deleted`);
      },
    });
  return (
    <div style={{ borderTop: '1px solid var(--hp-border)', paddingTop: 16 }}>
      <Button variant="subtle" data-tone="bad" ml={-12} onClick={ask}>
        Delete integration
      </Button>
      {confirm.dialog}
    </div>
  );
}
