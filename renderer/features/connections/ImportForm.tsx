import { Button, Group, SegmentedControl, Text, Textarea, TextInput } from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { useNavigate } from 'react-router';
import type { DashboardField, ProviderDetail } from '../../api/contract.ts';
import { useChange } from '../../api/use-change.ts';
import { useEnv } from '../../api/use-env.ts';
import { CodeInput } from '../../components/form/CodeInput.tsx';
import { FieldInput, fieldError } from '../../components/form/FieldInput.tsx';
import { useUnsaved } from '../../components/form/unsaved-context.ts';
import { notifyDone, notifyError } from '../../components/notice/notify.ts';
import { ApiError } from '../../lib/api-error.ts';
import { paths } from '../../lib/paths.ts';
import { fromInputValue } from '../../lib/shown-zone.ts';
import { credentialFields, type ImportMode, type ImportValues, importBody, parseObject } from './import-form.ts';

type Form = UseFormReturnType<ImportValues>;

const blank = (fields: DashboardField[]): Record<string, string> =>
  Object.fromEntries(fields.map((field) => [field.name, '']));

function checks(fields: DashboardField[]): Record<string, (value: string) => string | null> {
  return Object.fromEntries(fields.map((field) => [field.name, (value: string) => fieldError(field, value) ?? null]));
}

/** Shows the server's errors at their fields, and the others as a message. */
function showRefusal(form: Form, error: unknown): void {
  const issues = error instanceof ApiError ? error.issues : [];
  const known: Record<string, string> = {
    connection_id: 'connectionId',
    connection_config: 'config',
    'credentials.expires_at': 'expiresAt',
  };
  let placed = 0;
  for (const issue of issues) {
    const path = issue.path.join('.');
    const field = known[path] ?? path.replace(/^connection_config/, 'config');
    form.setFieldError(field, issue.message);
    if (form.getInputProps(field).error) placed += 1;
  }
  if (placed === 0) notifyError(error);
}

interface ImportFormProps {
  integrationKey: string;
  mode: ImportMode;
  provider: ProviderDetail;
}

export function ImportForm({ integrationKey, mode, provider }: ImportFormProps) {
  const env = useEnv();
  const navigate = useNavigate();
  const create = useChange('POST /api/v1/connections', { ownError: true });
  const secrets = credentialFields(mode, provider);
  const config = provider.connectionFields.filter((field) => !field.automated);
  const form: Form = useForm<ImportValues>({
    initialValues: {
      connectionId: '',
      credentials: blank(secrets),
      expiry: 'date',
      expiresAt: '',
      config: Object.fromEntries(config.map((field) => [field.name, field.defaultValue ?? ''])),
      userId: '',
      userName: '',
      userEmail: '',
      metadata: '',
    },
    validate: {
      credentials: checks(secrets),
      config: checks(config),
      expiresAt: (value, values) =>
        mode === 'OAUTH2' && values.expiry === 'date' && fromInputValue(value) === undefined
          ? 'Enter when the token expires, or choose Never.'
          : null,
      userEmail: (value) => (value === '' || /^[^\s@]+@\S+$/.test(value) ? null : 'Enter an e-mail address.'),
      userId: (value, values) => (value === '' && (values.userEmail || values.userName) ? 'A user needs an ID.' : null),
      metadata: (value) => (parseObject(value) === null ? 'Enter a JSON object.' : null),
    },
  });
  const endUnsavedGuard = useUnsaved('New connection', form.isDirty());
  const submit = form.onSubmit((values) =>
    create.mutate(
      { body: importBody(integrationKey, mode, values) },
      {
        onSuccess: (made) => {
          endUnsavedGuard();
          notifyDone(`Connection ${made.connectionId} imported`);
          void navigate(paths.connection(env, made));
        },
        onError: (error) => showRefusal(form, error),
      },
    ),
  );
  return (
    <form onSubmit={submit} noValidate>
      <Fields form={form} group="credentials" fields={secrets} />
      {mode === 'OAUTH2' && <Expiry form={form} />}
      {mode === 'NONE' && <p className="soft">This provider needs no credentials.</p>}
      <Fields form={form} group="config" fields={config.filter((field) => !field.hidden)} />
      <CodeInput
        label="Connection ID (optional)"
        description="If empty, Homeport creates one. An existing ID is overwritten."
        {...form.getInputProps('connectionId')}
      />
      <TextInput
        label="User ID (optional)"
        description="The ID of the user in your app."
        spellCheck={false}
        {...form.getInputProps('userId')}
      />
      <Group gap={12} grow align="flex-start">
        <TextInput label="User name (optional)" {...form.getInputProps('userName')} />
        <TextInput label="E-mail (optional)" type="email" {...form.getInputProps('userEmail')} />
      </Group>
      <Textarea
        label="Metadata (optional)"
        description="A JSON object that functions can read."
        rows={3}
        spellCheck={false}
        classNames={{ input: 'mono' }}
        {...form.getInputProps('metadata')}
      />
      <Group gap={8} pt={8}>
        <Button type="submit" loading={create.isPending}>
          Import connection
        </Button>
        <Button variant="subtle" onClick={() => void navigate(-1)}>
          Cancel
        </Button>
      </Group>
    </form>
  );
}

function Fields({ form, group, fields }: { form: Form; group: 'credentials' | 'config'; fields: DashboardField[] }) {
  return fields.map((field) => {
    const input = form.getInputProps(`${group}.${field.name}`);
    return (
      <FieldInput
        key={field.name}
        field={field}
        value={input.value as string}
        error={input.error as string | undefined}
        onChange={(value) => form.setFieldValue(`${group}.${field.name}`, value)}
      />
    );
  });
}

function Expiry({ form }: { form: Form }) {
  return (
    <div>
      <Text size="md" fw={500} mb={4} id="expiry-label">
        Access token expires
      </Text>
      <Group gap={8} align="flex-start">
        <SegmentedControl
          aria-labelledby="expiry-label"
          data={[
            { value: 'date', label: 'At' },
            { value: 'never', label: 'Never' },
          ]}
          {...form.getInputProps('expiry')}
        />
        {form.values.expiry === 'date' && (
          <TextInput
            type="datetime-local"
            aria-label="Expiry of the access token"
            style={{ flex: 1 }}
            {...form.getInputProps('expiresAt')}
          />
        )}
      </Group>
    </div>
  );
}
