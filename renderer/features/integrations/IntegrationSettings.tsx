import { Anchor, Button, Group, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { lazy, Suspense } from 'react';
import { Link, useNavigate } from 'react-router';
import { CALLBACK_MODES, type IntegrationDetail } from '../../api/contract.ts';
import { useUpdateIntegration } from '../../api/integrations/integrations-mutations.ts';
import { useReveal } from '../../api/settings/settings-mutations.ts';
import { useChange } from '../../api/use-change.ts';
import { useEnv } from '../../api/use-env.ts';
import { CopyRow } from '../../components/CopyRow.tsx';
import { useConnectOverlay } from '../../components/connection/use-connect-overlay.tsx';
import { DocsLink } from '../../components/DocsLink.tsx';
import { Fact, FactList } from '../../components/FactList.tsx';
import { CodeInput } from '../../components/form/CodeInput.tsx';
import { FieldInput } from '../../components/form/FieldInput.tsx';
import { FormPage } from '../../components/form/FormPage.tsx';
import { ScopesInput, splitScopes } from '../../components/form/ScopesInput.tsx';
import { SecretField } from '../../components/form/SecretField.tsx';
import { useUnsaved } from '../../components/form/unsaved-context.ts';
import { useSaveKey } from '../../components/form/use-save-key.ts';
import { notifyDone, notifyError } from '../../components/notice/notify.ts';
import { useConfirm } from '../../components/notice/use-confirm.tsx';
import { Banner } from '../../components/page/Banner.tsx';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { ApiError } from '../../lib/api-error.ts';
import { authModeName } from '../../lib/auth-modes.ts';
import { formatCount } from '../../lib/format-number.ts';
import { paths } from '../../lib/paths.ts';
import { ConnectionTestList } from './ConnectionTestList.tsx';
import { IntegrationHistory } from './IntegrationHistory.tsx';
import { SetupSteps } from './SetupSteps.tsx';
import { INTEGRATION_KEY } from './unique-key.ts';
import { useIntegrationDeletion } from './use-integration-deletion.tsx';

/** Loaded when it is shown: lists of other screens share files with this one, and do without a field that searches. */
const DriftWatch = lazy(async () => ({ default: (await import('./DriftWatch.tsx')).DriftWatch }));

export function IntegrationSettings({ integration }: { integration: IntegrationDetail }) {
  const env = useEnv();
  const navigate = useNavigate();
  const update = useUpdateIntegration(integration.key);
  const confirm = useConfirm();
  const fields = shownFields(integration);
  const form = useForm({
    initialValues: valuesOf(integration),
    validate: {
      key: (key) => (INTEGRATION_KEY.test(key) ? null : 'Use letters, digits, _ and -.'),
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
  const endUnsavedGuard = useUnsaved('Settings', form.isDirty());
  const showSaved = (saved: IntegrationDetail): void => {
    form.setInitialValues(valuesOf(saved));
    form.setValues(valuesOf(saved));
    form.resetDirty(valuesOf(saved));
    endUnsavedGuard();
    if (saved.key !== integration.key) void navigate(paths.integration(env, saved.key, 'settings'));
  };
  const submit = form.onSubmit(({ key, displayName, forwardWebhooks, config }) => {
    // Only what was changed here: the rest may have been changed elsewhere since. An untouched secret field is empty.
    const before = form.getInitialValues();
    const changed = Object.entries(config).filter(([name, value]) => value !== (before.config[name] ?? ''));
    update.mutate(
      {
        // Without a name of its own the integration shows that of the provider, which is not to be stored as its own.
        ...(displayName === before.displayName ? {} : { displayName }),
        ...(forwardWebhooks === before.forwardWebhooks ? {} : { forwardWebhooks }),
        ...(key === integration.key ? {} : { key }),
        config: Object.fromEntries(changed.map(([name, value]) => [name, value === '' ? null : value])),
      },
      {
        onSuccess: (saved) => {
          showSaved(saved);
          notifyDone('Settings saved');
        },
        onError: (error) => {
          if (error instanceof ApiError && error.status === 409) form.setFieldError('key', error.message);
          else notifyError(error);
        },
      },
    );
  });
  const element = useSaveKey<HTMLFormElement>(() => {
    if (form.isDirty()) submit();
  });
  const setForwarding = (isOn: boolean): void => {
    if (isOn) return form.setFieldValue('forwardWebhooks', true);
    confirm.ask({
      title: 'Stop forwarding webhooks?',
      text: 'Once this is saved, your app gets no webhooks of this provider. Functions still get them.',
      action: 'Stop forwarding',
      run: async () => form.setFieldValue('forwardWebhooks', false),
    });
  };
  return (
    <div style={{ paddingTop: 16 }}>
      <FormPage aside={<Aside integration={integration} />}>
        <form ref={element} onSubmit={submit} noValidate>
          <TextInput label="Display name" {...form.getInputProps('displayName')} />
          <CodeInput
            label="Integration ID"
            description={
              integration.connectionCount > 0
                ? 'Your apps refer to the integration by this ID. It cannot change while there are connections.'
                : 'Your apps refer to the integration by this ID.'
            }
            readOnly={integration.connectionCount > 0}
            {...form.getInputProps('key')}
          />
          {fields.map((field) => (
            <ConfigField
              key={field.name}
              field={field}
              integration={integration}
              value={form.values.config[field.name] ?? ''}
              error={form.errors[`config.${field.name}`] as string | undefined}
              onChange={(value) => form.setFieldValue(`config.${field.name}`, value)}
            />
          ))}
          <Impact integration={integration} config={form.values.config} />
          <Switch
            label="Forward webhooks of the provider to my app"
            checked={form.values.forwardWebhooks}
            onChange={(event) => setForwarding(event.currentTarget.checked)}
          />
          <Group gap={8} pt={8}>
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
        <AuthorizationTest integration={integration} isDirty={form.isDirty()} />
        <ConnectionTestList integration={integration} />
        <Suspense>
          <DriftWatch integration={integration} />
        </Suspense>
        <IntegrationHistory integration={integration} isDirty={form.isDirty()} onUndone={showSaved} />
        <DeleteIntegration integration={integration} />
        {confirm.dialog}
      </FormPage>
    </div>
  );
}

function shownFields({ fields }: IntegrationDetail): IntegrationDetail['fields'] {
  return fields.filter((field) => !field.automated && !field.hidden);
}

/** The values of the form; secrets are never among them. */
function valuesOf(integration: IntegrationDetail) {
  const { key, displayName, forwardWebhooks, config } = integration;
  const names = shownFields(integration).map(({ name }) => name);
  return {
    key,
    displayName,
    forwardWebhooks,
    config: Object.fromEntries(names.map((one) => [one, config[one] ?? ''])),
  };
}

interface ConfigFieldProps {
  field: IntegrationDetail['fields'][number];
  integration: IntegrationDetail;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}

function ConfigField({ field, integration, value, error, onChange }: ConfigFieldProps) {
  const isStored = integration.secretsSet.includes(field.name);
  const isNeeded = integration.missingFields.includes(field.name) || isStored || field.name in integration.config;
  if (field.name === 'scopes')
    return (
      <ScopesInput
        label="Scopes"
        description="Paste a list, or choose known scopes of the provider."
        value={value}
        error={error}
        suggestions={[...integration.availableScopes, ...integration.defaultScopes]}
        onChange={onChange}
      />
    );
  return (
    <FieldInput
      // A missing or given value is not labelled optional, although the form may be saved without it.
      field={isNeeded ? { ...field, optional: false } : field}
      value={value}
      error={error}
      placeholder={isStored ? 'Stored. Type to replace it.' : undefined}
      onChange={onChange}
    />
  );
}

/** The effects of the change on existing connections. */
function Impact({ integration, config }: { integration: IntegrationDetail; config: Record<string, string> }) {
  const env = useEnv();
  const { connectionCount, config: stored } = integration;
  if (connectionCount === 0) return null;
  const before = stored['client_id'];
  const changesClient = before !== undefined && config['client_id'] !== undefined && config['client_id'] !== before;
  const sorted = (text: string | undefined): string =>
    splitScopes(text ?? '')
      .sort()
      .join(' ');
  const changesScopes = config['scopes'] !== undefined && sorted(config['scopes']) !== sorted(stored['scopes']);
  if (!changesClient && !changesScopes) return null;
  const count = formatCount(connectionCount, 'connection');
  return (
    <div role="status">
      <Banner
        tone="warn"
        actions={
          <Button
            size="xs"
            variant="default"
            component={Link}
            to={paths.integration(env, integration.key, 'connections')}
          >
            Show connections
          </Button>
        }
      >
        {changesClient ? (
          <>
            <b>{count} signed in with the present client.</b> With another client their tokens cannot be refreshed until
            they reconnect.
          </>
        ) : (
          <>
            <b>{count} signed in with other scopes.</b> They keep those until they reconnect.
          </>
        )}
      </Banner>
    </div>
  );
}

/** Runs an authorization with the saved settings; it creates a connection that can be deleted. */
function AuthorizationTest({ integration, isDirty }: { integration: IntegrationDetail; isDirty: boolean }) {
  const env = useEnv();
  const navigate = useNavigate();
  const session = useChange('POST /api/v1/connect-sessions', { ownError: true });
  const connect = useConnectOverlay({ onConnect: (made) => void navigate(paths.connection(env, made)) });
  const isIncomplete = integration.missingFields.length > 0;
  const start = (): void => {
    connect
      .open(() => session.mutateAsync({ body: { integrationKey: integration.key, endUser: { id: 'test-user' } } }))
      .catch(notifyError);
  };
  return (
    <section className="line-above" style={{ paddingTop: 16 }} aria-label="Test the sign-in">
      <p className="soft">
        {isIncomplete
          ? 'Save the missing fields first.'
          : isDirty
            ? 'Save the settings first: the test uses what is stored.'
            : 'Signs in as a user would, and opens the new connection.'}
      </p>
      <Button variant="default" mt={8} loading={connect.isOpening} disabled={isDirty || isIncomplete} onClick={start}>
        Test sign-in
      </Button>
      {connect.overlay}
    </section>
  );
}

function Aside({ integration }: { integration: IntegrationDetail }) {
  const env = useEnv();
  const reveal = useReveal();
  const { key: integrationKey, docsUrl } = integration;
  const titles = new Map(integration.fields.map((field) => [field.name, field.title]));
  return (
    <>
      <SetupSteps
        steps={integration.setupSteps}
        callbackUrl={integration.callbackUrl}
        guideUrl={integration.setupGuideUrl}
        unconfirmed={integration.unconfirmed}
      />
      <FactList>
        <Fact label="Provider">
          <code>{integration.provider}</code>
        </Fact>
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
    </>
  );
}

function DeleteIntegration({ integration }: { integration: IntegrationDetail }) {
  const env = useEnv();
  const navigate = useNavigate();
  const { ask, dialog } = useIntegrationDeletion(integration, () => void navigate(paths.integrations(env)));
  return (
    <div className="line-above" style={{ paddingTop: 16 }}>
      <Button variant="subtle" data-tone="bad" ml={-12} onClick={ask}>
        Delete integration
      </Button>
      {dialog}
    </div>
  );
}
