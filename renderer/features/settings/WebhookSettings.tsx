import { Button, Switch } from '@mantine/core';
import type { EnvironmentSettingsResponse } from '../../api/contract.ts';
import { useReveal } from '../../api/settings/settings-mutations.ts';
import { useChange } from '../../api/use-change.ts';
import { Fact, FactList } from '../../components/FactList.tsx';
import { CodeInput } from '../../components/form/CodeInput.tsx';
import { SecretField } from '../../components/form/SecretField.tsx';
import { notifyDone } from '../../components/notice/notify.ts';
import { useConfirm } from '../../components/notice/use-confirm.tsx';
import { MoreDestinations } from './MoreDestinations.tsx';
import { SettingsForm } from './SettingsForm.tsx';
import { TestEvent } from './TestEvent.tsx';
import { useSettingsSection } from './use-settings-section.ts';

type Webhook = EnvironmentSettingsResponse['webhook'];

const ADDRESSES = [
  ['primary_url', 'Primary URL', 'Address in your app that receives webhooks. It may be on this computer.'],
  ['secondary_url', 'Secondary URL', 'Gets the same webhooks, after the primary one.'],
] as const;

const SWITCHES = [
  ['on_auth_creation', 'A connection is made, or making it failed'],
  ['on_auth_refresh_error', 'A token cannot be refreshed'],
  ['on_sync_completion_always', 'A sync ends, also without changes'],
  ['on_sync_error', 'A sync fails'],
  ['on_async_action_completion', 'A background action ends'],
  ['on_connection_deletion', 'A connection is deleted'],
] as const;

export function WebhookSettings({ settings }: { settings: EnvironmentSettingsResponse }) {
  const section = useSettingsSection<Webhook>('Webhooks', settings.webhook, (webhook) => ({ webhook }));
  const { value, change, errors } = section;
  return (
    <>
      <SettingsForm
        id="webhooks"
        title="Webhooks"
        lead="Homeport tells your app what happens: a signed POST to each address, retried when it does not answer."
        section={section}
      >
        {ADDRESSES.map(([name, label, description]) => (
          <CodeInput
            key={name}
            label={label}
            description={description}
            placeholder="http://localhost:4000/webhooks"
            value={value[name] ?? ''}
            error={errors[`webhook.${name}`]}
            onChange={(event) => change({ [name]: event.currentTarget.value.trim() || null })}
          />
        ))}
        <fieldset className="stack gap-8">
          <legend className="name pb-8">Send a webhook when</legend>
          {SWITCHES.map(([name, label]) => (
            <Switch
              key={name}
              label={label}
              checked={value[name]}
              onChange={(event) => change({ [name]: event.currentTarget.checked })}
            />
          ))}
        </fieldset>
        <SigningKey />
        <TestEvent
          hasUrl={Boolean(settings.webhook.primary_url ?? settings.webhook.secondary_url)}
          isUnsaved={section.isDirty}
        />
      </SettingsForm>
      <MoreDestinations />
    </>
  );
}

function SigningKey() {
  const reveal = useReveal();
  const rotate = useChange('POST /api/v1/settings/signing-key', { ownError: true });
  const confirm = useConfirm();
  const ask = (): void =>
    confirm.ask({
      title: 'Replace the signing key?',
      text: 'The new key signs every webhook from now on. For five minutes a webhook that your app refuses is sent again, signed with the old key. Give your app the new key in that time.',
      action: 'Replace signing key',
      run: async () => {
        await rotate.mutateAsync();
        notifyDone('Signing key replaced. Copy it to your app.');
      },
    });
  return (
    <>
      <FactList wide>
        <Fact label="Signing key">
          <SecretField
            // The shown secret belongs to the previous key.
            key={rotate.submittedAt}
            label="signing key"
            reveal={() => reveal.mutateAsync({ kind: 'signing_key' })}
          />
          <Button size="xs" variant="subtle" onClick={ask}>
            Replace
          </Button>
        </Fact>
      </FactList>
      {confirm.dialog}
    </>
  );
}
