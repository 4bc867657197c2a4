import { PasswordInput, Stack, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useEffect, useRef } from 'react';
import { CodeInput } from '../../components/form/CodeInput.tsx';
import { KeyValueEditor } from '../../components/form/KeyValueEditor.tsx';
import classes from './ConnectForm.module.css';
import type { ConnectValues } from './connect-form.ts';

type Form = UseFormReturnType<ConnectValues>;
const OWN: readonly (keyof ConnectValues)[] = ['clientSecret', 'docsConnect', 'webhookUrl'];

/** Rarely used options. The section opens when one of its fields has an error. */
export function ConnectOptions({ form, takesOptions }: { form: Form; takesOptions: boolean }) {
  const details = useRef<HTMLDetailsElement>(null);
  const hasError = OWN.some((name) => form.errors[name]);
  useEffect(() => {
    if (hasError && details.current) details.current.open = true;
  }, [hasError]);
  return (
    <details ref={details} className={`line-above line-below ${classes['options']}`}>
      <summary className="soft name">Advanced</summary>
      <Stack gap={16} pt={8} pb={16}>
        {takesOptions && <AuthorizationOptions form={form} />}
        <TextInput
          label="Guide link (optional)"
          description="Shown on the connect page in place of the provider's guide."
          type="url"
          spellCheck={false}
          {...form.getInputProps('docsConnect')}
        />
        <TextInput
          label="Webhook address (optional)"
          description="Webhooks of this connection go there, not to the environment's addresses."
          type="url"
          spellCheck={false}
          {...form.getInputProps('webhookUrl')}
        />
      </Stack>
    </details>
  );
}

function AuthorizationOptions({ form }: { form: Form }) {
  return (
    <>
      <CodeInput
        label="Scopes (optional)"
        description="Separated by commas or spaces, in place of the integration's."
        {...form.getInputProps('scopes')}
      />
      <div className={`grid ${classes['pair']}`}>
        <CodeInput label="Own client ID (optional)" {...form.getInputProps('clientId')} />
        <PasswordInput
          label="Own client secret (optional)"
          autoComplete="off"
          {...form.getInputProps('clientSecret')}
        />
      </div>
      <KeyValueEditor
        label="Authorization parameters (optional)"
        description="Sent along to the provider's sign-in page."
        noun="Parameter"
        pairs={form.values.authorizationParams}
        onChange={(pairs) => form.setFieldValue('authorizationParams', pairs)}
      />
    </>
  );
}
