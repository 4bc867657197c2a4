import { Button, Group, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation, useNavigate, useParams } from 'react-router';
import { CALLBACK_MODES, type DashboardField, INTEGRATION_FIELDS, type ProviderDetail } from '../../api/contract.ts';
import { metaQueryOptions } from '../../api/hub/hub-queries.ts';
import { integrationChoicesQueryOptions, providerQueryOptions } from '../../api/integrations/integrations-queries.ts';
import { callbackQueryOptions } from '../../api/settings/settings-queries.ts';
import { useChange } from '../../api/use-change.ts';
import { useEnv } from '../../api/use-env.ts';
import { CopyRow } from '../../components/CopyRow.tsx';
import { ProviderLogo } from '../../components/connection/ProviderLogo.tsx';
import { DocsLink } from '../../components/DocsLink.tsx';
import { Fact, FactList } from '../../components/FactList.tsx';
import { CodeInput } from '../../components/form/CodeInput.tsx';
import { FieldInput, fieldError } from '../../components/form/FieldInput.tsx';
import { FormPage } from '../../components/form/FormPage.tsx';
import { ScopesInput } from '../../components/form/ScopesInput.tsx';
import { UnsavedGuard } from '../../components/form/UnsavedGuard.tsx';
import { useUnsaved } from '../../components/form/unsaved-context.ts';
import { notifyDone, notifyError } from '../../components/notice/notify.ts';
import { ErrorPage } from '../../components/page/ErrorPanel.tsx';
import { NotFoundPage } from '../../components/page/NotFoundPage.tsx';
import { PageHeader } from '../../components/page/PageHeader.tsx';
import { PageSkeleton } from '../../components/page/PageSkeleton.tsx';
import { usePage } from '../../components/page/page-context.ts';
import { ApiError, isMissing } from '../../lib/api-error.ts';
import { authModeName } from '../../lib/auth-modes.ts';
import { isFromFirstRun } from '../../lib/first-run.ts';
import { readClientFile } from '../../lib/key-values.ts';
import { paths } from '../../lib/paths.ts';
import { keepRecent } from './catalogue-choices.ts';
import { SetupSteps } from './SetupSteps.tsx';
import { uniqueKey } from './unique-key.ts';

export function CreateIntegration() {
  const env = useEnv();
  const name = useParams()['provider'] ?? '';
  const provider = useQuery(providerQueryOptions(name));
  const existing = useQuery(integrationChoicesQueryOptions(env));
  const callback = useQuery(callbackQueryOptions(env));
  usePage([
    { label: 'Integrations', to: paths.integrations(env) },
    { label: 'New integration', to: paths.newIntegration(env) },
    { label: provider.data?.displayName ?? name },
  ]);
  if (isMissing(provider.error))
    return <NotFoundPage message={provider.error.message} to={paths.newIntegration(env)} toLabel="All providers" />;
  if (provider.error)
    return <ErrorPage title="New integration" error={provider.error} onRetry={() => void provider.refetch()} />;
  // The steps show the callback address: without it, everything below them would move.
  if (!provider.data || !existing.data || callback.isLoading) return <PageSkeleton />;
  const key = uniqueKey(
    name,
    existing.data.map((one) => one.key),
  );
  return (
    <UnsavedGuard>
      <CreateForm key={name} provider={provider.data} suggestedKey={key} />
    </UnsavedGuard>
  );
}

/** An integration may be saved without it, but nobody can connect then. */
const neededLater = (field: DashboardField): DashboardField =>
  field.optional
    ? { ...field, optional: false, description: [field.description, 'Needed to connect.'].filter(Boolean).join(' ') }
    : field;

const KEY = /^[a-zA-Z0-9_-]{1,255}$/;

function CreateForm({ provider, suggestedKey }: { provider: ProviderDetail; suggestedKey: string }) {
  const env = useEnv();
  const navigate = useNavigate();
  const isInFirstRun = isFromFirstRun(useLocation().state);
  const create = useChange('POST /api/v1/integrations', { ownError: true });
  const own = provider.integrationFields;
  const fields = (own.length > 0 ? own : (INTEGRATION_FIELDS[provider.authMode] ?? [])).filter(
    (field) => !field.automated && !field.hidden,
  );
  const form = useForm({
    initialValues: {
      key: suggestedKey,
      displayName: provider.displayName,
      config: Object.fromEntries(
        fields.map((field) => [
          field.name,
          field.defaultValue ?? (field.name === 'scopes' ? provider.defaultScopes.join(',') : ''),
        ]),
      ),
    },
    validate: {
      key: (key) => (KEY.test(key) ? null : 'Use letters, digits, _ and -.'),
      config: Object.fromEntries(
        fields.map((field) => [field.name, (value: string) => fieldError(field, value) ?? null]),
      ),
    },
  });
  const endUnsavedGuard = useUnsaved('New integration', form.isDirty());
  const takesClient = fields.some(({ name }) => name === 'client_id');
  /** Fills in the credentials from a provider's client file; false when the text is something else. */
  const takeFile = (text: string): boolean => {
    const file = takesClient ? readClientFile(text) : undefined;
    if (!file) return false;
    form.setFieldValue('config', { ...form.values.config, ...file });
    notifyDone('Client ID and secret taken from the file');
    return true;
  };
  const submit = form.onSubmit((values) => {
    const config = Object.fromEntries(Object.entries(values.config).filter(([, value]) => value !== ''));
    create.mutate(
      { body: { provider: provider.name, key: values.key, displayName: values.displayName, config } },
      {
        onSuccess: (made) => {
          keepRecent(provider.name);
          endUnsavedGuard();
          notifyDone(`Integration ${made.key} created`);
          void navigate(
            isInFirstRun ? `${paths.gettingStarted(env)}?step=connect` : paths.integration(env, made.key, 'settings'),
          );
        },
        onError: (error) => {
          if (error instanceof ApiError && error.status === 409) form.setFieldError('key', error.message);
          else notifyError(error);
        },
      },
    );
  });
  return (
    <>
      <PageHeader
        title={`New ${provider.displayName} integration`}
        logo={<ProviderLogo provider={provider.name} name={provider.displayName} size={36} tile />}
        sub={authModeName(provider.authMode)}
      />
      <FormPage
        aside={
          <ProviderFacts
            provider={provider}
            integrationKey={form.values.key}
            scopes={form.values.config['scopes'] ?? ''}
          />
        }
      >
        <form
          onSubmit={submit}
          noValidate
          onPaste={(event) => {
            if (takeFile(event.clipboardData.getData('text'))) event.preventDefault();
          }}
          onDragOver={(event) => event.preventDefault()}
          onDrop={(event) => {
            event.preventDefault();
            void event.dataTransfer.files[0]?.text().then((text) => {
              if (!takeFile(text)) notifyError({ message: 'The file names no client ID.', code: 'invalid_file' });
            });
          }}
        >
          <CodeInput
            label="Integration ID"
            description="Your apps refer to the integration by this ID."
            {...form.getInputProps('key')}
          />
          <TextInput label="Display name" {...form.getInputProps('displayName')} />
          {fields.map((field) => {
            const input = form.getInputProps(`config.${field.name}`);
            if (field.name === 'scopes')
              return (
                <ScopesInput
                  key={field.name}
                  label="Scopes (optional)"
                  description="Paste a list, or choose known scopes of the provider."
                  value={input.value as string}
                  error={input.error as string | undefined}
                  suggestions={[...provider.availableScopes, ...provider.defaultScopes]}
                  onChange={(value) => form.setFieldValue(`config.${field.name}`, value)}
                />
              );
            return (
              <FieldInput
                key={field.name}
                field={provider.neededFields.includes(field.name) ? neededLater(field) : field}
                value={input.value as string}
                error={input.error as string | undefined}
                onChange={(value) => form.setFieldValue(`config.${field.name}`, value)}
              />
            );
          })}
          {takesClient && (
            <p className="faint" style={{ fontSize: 12 }}>
              Paste or drop the provider's JSON file anywhere in this form to fill in the client.
            </p>
          )}
          <Group gap={8} pt={8}>
            <Button type="submit" loading={create.isPending}>
              Create integration
            </Button>
            <Button variant="subtle" onClick={() => void navigate(-1)}>
              Cancel
            </Button>
          </Group>
        </form>
      </FormPage>
    </>
  );
}

/** What a person need not set up, by the way to connect. */
const WAYS: Record<string, string> = {
  dynamic_registration: 'No app: Homeport registers itself.',
  device_authorization: 'People can sign in with a code: no redirect address.',
  public_client: 'An app without a client secret works, with PKCE.',
};

/** Apps that are installed at the provider return to a different address (auth-and-connect.md 3.7). */
const INSTALLED_MODES: readonly string[] = ['APP', 'CUSTOM'];

function ProviderFacts({
  provider,
  integrationKey,
  scopes,
}: {
  provider: ProviderDetail;
  integrationKey: string;
  scopes: string;
}) {
  const env = useEnv();
  const { data: meta } = useQuery(metaQueryOptions());
  const { data: callback } = useQuery(callbackQueryOptions(env));
  return (
    <>
      <SetupSteps
        steps={provider.setupSteps}
        callbackUrl={callback?.callbackUrl ?? ''}
        scopes={scopes}
        guideUrl={provider.setupGuideUrl}
        unconfirmed={provider.unconfirmed}
      />
      <FactList>
        {CALLBACK_MODES.includes(provider.authMode) && (
          <Fact label="Callback address to register">
            <CopyRow value={callback?.callbackUrl ?? ''} label="Copy callback address" />
            <Link to={paths.callback(env)}>Check it</Link>
          </Fact>
        )}
        {INSTALLED_MODES.includes(provider.authMode) && (
          <Fact label="Setup address to register">
            <CopyRow
              value={callback?.ownUrl.replace(/\/oauth\/callback$/, '/app-auth/connect') ?? ''}
              label="Copy setup address"
            />
          </Fact>
        )}
        <Fact label="Webhook address">
          <CopyRow
            value={`${callback?.webhookBase ?? ''}${encodeURIComponent(integrationKey)}`}
            label="Copy webhook address"
          />
          {meta?.health.tunnelUrl === null && (
            <>
              <span className="faint">Providers can reach it only through a public URL.</span>
              <Link to={paths.settings(env, 'public-url')}>Set a public URL</Link>
            </>
          )}
        </Fact>
        <Fact label="Base address">
          {provider.baseUrl ? <code>{provider.baseUrl}</code> : 'Given by each connection'}
        </Fact>
        <Fact label="Default scopes">
          {provider.defaultScopes.length > 0 ? <code>{provider.defaultScopes.join(', ')}</code> : 'None'}
        </Fact>
        {provider.waysIn.some((way) => way in WAYS) && (
          <Fact label="Less to set up">
            {provider.waysIn.flatMap((way) => (WAYS[way] === undefined ? [] : [<p key={way}>{WAYS[way]}</p>]))}
          </Fact>
        )}
        <Fact label="Documentation">
          <DocsLink url={provider.docsUrl} />
        </Fact>
      </FactList>
    </>
  );
}
