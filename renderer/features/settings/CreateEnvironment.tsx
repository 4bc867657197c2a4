import { Checkbox, Select, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { flushSync } from 'react-dom';
import type { EnvironmentPart } from '../../api/contract.ts';
import { metaQueryOptions } from '../../api/hub/hub-queries.ts';
import { useChange } from '../../api/use-change.ts';
import { FormActions } from '../../components/form/FormActions.tsx';
import { OpenModal } from '../../components/notice/OpenModal.tsx';
import { describeError } from '../../lib/api-error.ts';
import { ENVIRONMENT_NAME, ENVIRONMENT_NAME_RULE } from '../../lib/environment-name.ts';

interface CreateEnvironmentProps {
  /** The environment that is copied from by default. */
  copyOf?: string;
  onClose: () => void;
  onCreated: (name: string) => void;
}

const PARTS: Array<{ value: EnvironmentPart; label: string; description: string }> = [
  { value: 'settings', label: 'Settings', description: 'Log level, retention, callback address, allowed hosts' },
  { value: 'webhooks', label: 'Webhooks', description: 'Addresses and what is sent; the signing key is a new one' },
  { value: 'connect_ui', label: 'Connect page', description: 'Its theme and colours' },
  { value: 'variables', label: 'Variables', description: 'With their values' },
  { value: 'integrations', label: 'Integrations', description: 'With client IDs, client secrets and scopes' },
];
/** The option for no environment; no environment can have this name. */
const NONE = '*';

export function CreateEnvironment({ copyOf = NONE, onClose, onCreated }: CreateEnvironmentProps) {
  const create = useChange('POST /api/v1/environments', { ownError: true });
  const { data: meta } = useQuery(metaQueryOptions());
  const form = useForm({
    initialValues: { name: '', from: copyOf, parts: PARTS.map(({ value }) => value) },
    validate: {
      name: (name) => (ENVIRONMENT_NAME.test(name) ? null : ENVIRONMENT_NAME_RULE),
      parts: (parts, { from }) => (from !== NONE && parts.length === 0 ? 'Choose at least one part.' : null),
    },
  });
  const { from } = form.getValues();
  const submit = form.onSubmit(({ name, parts }) =>
    create.mutate(
      { body: from === NONE ? { name } : { name, copy: { from, parts } } },
      {
        onSuccess: () => {
          // The dialog is gone before the page is left: what was typed in it is stored, and nothing is asked.
          flushSync(onClose);
          onCreated(name);
        },
        onError: (error) => form.setFieldError('name', describeError(error).message),
      },
    ),
  );
  const sources = (meta?.environments ?? []).map(({ name }) => ({ value: name, label: `Copy of ${name}` }));
  return (
    <OpenModal onClose={onClose} title="New environment" size={440} withCloseButton={false}>
      <form onSubmit={submit} className="stack gap-16">
        <TextInput
          label="Name"
          description="An environment has its own integrations, connections and secret key."
          data-autofocus
          spellCheck={false}
          autoComplete="off"
          {...form.getInputProps('name')}
        />
        <Select
          label="Begin with"
          data={[{ value: NONE, label: 'Nothing' }, ...sources]}
          {...form.getInputProps('from')}
        />
        {from !== NONE && (
          <Checkbox.Group label="What is copied" {...form.getInputProps('parts')}>
            <Stack gap={8} pt={8}>
              {PARTS.map((part) => (
                <Checkbox key={part.value} size="sm" {...part} />
              ))}
            </Stack>
          </Checkbox.Group>
        )}
        {from !== NONE && <p className="faint small pt-8">Connections, records and API keys are never copied.</p>}
        <FormActions action="Create environment" isPending={create.isPending} onCancel={onClose} />
      </form>
    </OpenModal>
  );
}
