import { Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { useReplayWebhook } from '../../api/webhooks/webhooks-mutations.ts';
import { CodeInput } from '../../components/form/CodeInput.tsx';
import { FormActions } from '../../components/form/FormActions.tsx';
import { AskingModal } from '../../components/notice/OpenModal.tsx';
import { describeError } from '../../lib/api-error.ts';

interface ReplayElsewhereProps {
  isOpen: boolean;
  replay: ReturnType<typeof useReplayWebhook>;
  onClose: () => void;
  onDone: (webhookId: string) => void;
}

/** Asks for the address of one replay; the settings are not changed. */
export function ReplayElsewhere({ isOpen, replay, onClose, onDone }: ReplayElsewhereProps) {
  const [url, setUrl] = useState('');
  const [error, setError] = useState<string>();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    replay.mutate(url.trim(), { onSuccess: onDone, onError: (failure) => setError(describeError(failure).message) });
  };
  return (
    <AskingModal opened={isOpen} onClose={onClose} title="Replay to another URL" size={480} withCloseButton={false}>
      <form onSubmit={submit} noValidate>
        <Text size="md" c="dimmed" mb={12}>
          The same body with new signatures, once. The addresses in the settings stay as they are.
        </Text>
        <CodeInput
          label="URL"
          placeholder="http://localhost:4000/webhooks"
          value={url}
          error={error}
          data-autofocus
          onChange={(event) => {
            setUrl(event.currentTarget.value);
            setError(undefined);
          }}
        />
        <FormActions
          action="Replay"
          isPending={replay.isPending}
          isDisabled={url.trim() === ''}
          mt={24}
          onCancel={onClose}
        />
      </form>
    </AskingModal>
  );
}
