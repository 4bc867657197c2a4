import { Button, Group, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useCreateMcpClient } from '../../api/mcp/mcp-mutations.ts';
import { CopyButton } from '../../components/CopyButton.tsx';
import { FormActions } from '../../components/form/FormActions.tsx';
import { AskingModal } from '../../components/notice/OpenModal.tsx';
import { describeError } from '../../lib/api-error.ts';

interface NewClientProps {
  isOpen: boolean;
  onCreated: (secret: string) => void;
  /** `isDone`: a key was created. */
  onClose: (isDone: boolean) => void;
}

/** Creates a key that may only call tools, and shows it once. */
export function NewClient({ isOpen, onCreated, onClose }: NewClientProps) {
  const create = useCreateMcpClient();
  const created = create.data;
  const close = (): void => {
    onClose(created !== undefined);
    create.reset();
  };
  return (
    <AskingModal
      opened={isOpen}
      isSaved={created !== undefined}
      onClose={close}
      title={created ? `The key of ${created.name}` : 'New agent key'}
      size={440}
      withCloseButton={false}
    >
      {created ? (
        <CreatedKey secret={created.secret} onClose={close} />
      ) : (
        <NameForm
          isPending={create.isPending}
          error={create.error}
          onCancel={close}
          onSubmit={(name) => create.mutate(name, { onSuccess: ({ secret }) => onCreated(secret) })}
        />
      )}
    </AskingModal>
  );
}

interface NameFormProps {
  isPending: boolean;
  error: Error | null;
  onCancel: () => void;
  onSubmit: (name: string) => void;
}

function NameForm({ isPending, error, onCancel, onSubmit }: NameFormProps) {
  const [name, setName] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (name.trim() !== '') onSubmit(name.trim());
  };
  return (
    <form onSubmit={submit}>
      <TextInput
        data-autofocus
        label="Name"
        description="Shown in questions and in the log."
        placeholder="Desk agent"
        autoComplete="off"
        maxLength={255}
        value={name}
        error={error && describeError(error).message}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Text size="sm" c="dimmed" mt={12}>
        The key can only call tools. Tools that only read run at once, all others ask you first.
      </Text>
      <FormActions
        action="Create key"
        isPending={isPending}
        isDisabled={name.trim() === ''}
        mt={24}
        onCancel={onCancel}
      />
    </form>
  );
}

function CreatedKey({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <>
      <Text size="md" c="dimmed">
        It is shown only once. The snippets on this page contain it until you leave.
      </Text>
      <div className="row gap-4 breaks frame sunken" style={{ margin: '12px 0', padding: '8px 8px 8px 12px' }}>
        <code style={{ flex: 1 }}>{secret}</code>
        <CopyButton value={secret} isSecret label="Copy key" />
      </div>
      <Group justify="flex-end">
        <Button data-autofocus onClick={onClose}>
          Set up a client
        </Button>
      </Group>
    </>
  );
}
