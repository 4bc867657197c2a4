import { Button, Group, TextInput } from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { useState } from 'react';
import type { IntegrationListItem, ProviderDetail } from '../../api/contract.ts';
import { useChange } from '../../api/use-change.ts';
import { CopyRow } from '../../components/CopyRow.tsx';
import { copyText } from '../../components/copy-text.ts';
import { KeyValueEditor } from '../../components/form/KeyValueEditor.tsx';
import { useUnsaved } from '../../components/form/unsaved-context.ts';
import { notifyError } from '../../components/notice/notify.ts';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { useNow } from '../../components/time/use-now.ts';
import { ApiError } from '../../lib/api-error.ts';
import { readStored, writeStored } from '../../lib/stored.ts';
import classes from './ConnectForm.module.css';
import { ConnectOptions } from './ConnectOptions.tsx';
import { CONNECT_CHECKS, type ConnectValues, connectBody, hasAuthorizationOptions } from './connect-form.ts';

/** The key for the last test user, which is the default of the next form. */
const USER = 'testUser';
const TEST_USER = { userId: 'test-user', userEmail: '', userName: '' };

/** The server's names of the fields. */
const FIELDS: Record<string, keyof ConnectValues> = {
  'endUser.id': 'userId',
  'endUser.email': 'userEmail',
  'endUser.displayName': 'userName',
  webhookUrlOverride: 'webhookUrl',
};

function showRefusal(form: UseFormReturnType<ConnectValues>, error: unknown): void {
  const issues = error instanceof ApiError ? error.issues : [];
  const placed = issues.flatMap((issue) => {
    const path = issue.path.join('.');
    const field = path.startsWith('tags') ? 'tags' : FIELDS[path];
    return field ? [[field, issue.message] as const] : [];
  });
  for (const [field, message] of placed) form.setFieldError(field, message);
  if (placed.length === 0) notifyError(error);
}

interface ConnectFormProps {
  integration: IntegrationListItem;
  provider: ProviderDetail;
  isOpening: boolean;
  /** Shows the connect page for the session from `begin`. */
  onConnect: (begin: () => Promise<{ token: string }>) => Promise<void>;
}

export function ConnectForm({ integration, provider, isOpening, onConnect }: ConnectFormProps) {
  const session = useChange('POST /api/v1/connect-sessions', { ownError: true });
  const [shared, setShared] = useState<{ link: string; expiresAt: string }>();
  const takesOptions = hasAuthorizationOptions(provider.authMode);
  const form = useForm<ConnectValues>({
    initialValues: {
      ...readStored(USER, TEST_USER),
      tags: [],
      authorizationParams: [],
      scopes: '',
      clientId: '',
      clientSecret: '',
      docsConnect: '',
      webhookUrl: '',
    },
    // A link is made of the values that the form had then.
    onValuesChange: () => setShared(undefined),
    validate: CONNECT_CHECKS,
  });
  useUnsaved('New connection', form.isDirty());
  const begin = async (values: ConnectValues) => {
    const { userId, userEmail, userName } = values;
    writeStored(USER, { userId, userEmail, userName });
    const made = await session.mutateAsync({ body: connectBody(integration.key, values, takesOptions) });
    // The session holds the values from now on.
    form.resetDirty(values);
    return made;
  };
  const connect = form.onSubmit((values) => {
    onConnect(() => begin(values)).catch((error: unknown) => showRefusal(form, error));
  });
  const share = form.onSubmit((values) => {
    begin(values).then(
      ({ link, expiresAt }) => {
        setShared({ link, expiresAt });
        void copyText(link, 'Link copied');
      },
      (error: unknown) => showRefusal(form, error),
    );
  });
  return (
    <form onSubmit={connect} noValidate>
      <TextInput
        label="Test user ID"
        description="The ID of the user in your app, to whom the connection belongs."
        spellCheck={false}
        autoComplete="off"
        maxLength={255}
        {...form.getInputProps('userId')}
      />
      <div className={`grid ${classes['pair']}`}>
        <TextInput
          label="User name (optional)"
          autoComplete="off"
          maxLength={255}
          {...form.getInputProps('userName')}
        />
        <TextInput label="E-mail (optional)" type="email" autoComplete="off" {...form.getInputProps('userEmail')} />
      </div>
      <KeyValueEditor
        label="Tags (optional)"
        description="Stored with the connection and sent in its webhooks."
        noun="Tag"
        pairs={form.values.tags}
        onChange={(tags) => form.setFieldValue('tags', tags)}
        error={form.errors['tags'] as string | undefined}
      />
      <ConnectOptions form={form} takesOptions={takesOptions} />
      <Group gap={8} pt={8}>
        <Button type="submit" loading={isOpening}>
          Connect
        </Button>
        <Button variant="default" loading={session.isPending && !isOpening} onClick={() => share()}>
          Share link
        </Button>
      </Group>
      {shared && <SharedLink {...shared} />}
    </form>
  );
}

/** A link to the connect page, for another browser of this computer. */
function SharedLink({ link, expiresAt }: { link: string; expiresAt: string }) {
  const isOver = Date.parse(expiresAt) <= useNow();
  return (
    <div className="stack gap-4 card sunken" style={{ padding: '12px 16px' }} role="status">
      <CopyRow value={link} label="Copy link" />
      <p className="soft">
        {isOver ? (
          'The link has expired. Share a new one.'
        ) : (
          <>
            Opens in any browser of this computer. Expires <RelativeTime at={expiresAt} />.
          </>
        )}
      </p>
    </div>
  );
}
