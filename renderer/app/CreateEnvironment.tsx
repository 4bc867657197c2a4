import { Button, Group, Modal, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { describeError } from '../api/api-error.ts';
import { useCreateEnvironment } from '../api/hub/hub-mutations.ts';

interface CreateEnvironmentProps {
  opened: boolean;
  onClose: () => void;
  onCreated: (name: string) => void;
}

export function CreateEnvironment({ opened, onClose, onCreated }: CreateEnvironmentProps) {
  const create = useCreateEnvironment();
  const form = useForm({
    initialValues: { name: '' },
    validate: {
      name: (name) => (/^[a-z0-9_-]{1,255}$/.test(name) ? null : 'Use lower-case letters, digits, _ and -.'),
    },
  });
  const submit = form.onSubmit(({ name }) =>
    create.mutate(name, {
      onSuccess: () => {
        form.reset();
        onClose();
        onCreated(name);
      },
      onError: (error) => form.setFieldError('name', describeError(error).message),
    }),
  );
  return (
    <Modal opened={opened} onClose={onClose} title="New environment" size={400}>
      <form onSubmit={submit}>
        <TextInput
          label="Name"
          description="An environment has its own integrations, connections and secret key."
          data-autofocus
          spellCheck={false}
          {...form.getInputProps('name')}
        />
        <Group justify="flex-end" gap={8} mt={24}>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending}>
            Create environment
          </Button>
        </Group>
      </form>
    </Modal>
  );
}
