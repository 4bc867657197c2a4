import { Button, Group, Modal, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useShell } from './shell-context.ts';

interface Question {
  title: string;
  text: ReactNode;
  /** The verb on the button: "Delete connection". */
  action: string;
  /** Nothing is lost by it. */
  isHarmless?: boolean;
  /** Text to type first, where a slip would cost much; in a production environment by default its name. */
  typed?: string | undefined;
  run: () => Promise<unknown>;
}

/** `ask(question)` opens the dialog; put `dialog` somewhere in the page. It closes when `run` succeeds. */
export function useConfirm(): { ask: (question: Question) => void; dialog: ReactNode } {
  const [question, setQuestion] = useState<Question>();
  const [typed, setTyped] = useState('');
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const { productionName } = useShell();
  const wanted = question?.typed ?? (question?.isHarmless ? undefined : productionName);
  const ask = (next: Question): void => {
    setTyped('');
    setError(undefined);
    setQuestion(next);
  };
  const run = async (): Promise<void> => {
    setBusy(true);
    try {
      await question?.run();
      setQuestion(undefined);
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : 'It failed.');
    } finally {
      setBusy(false);
    }
  };
  const dialog = (
    <Modal
      opened={question !== undefined}
      onClose={() => setQuestion(undefined)}
      title={question?.title}
      size={440}
      withCloseButton={false}
    >
      <Text size="md" c="dimmed" component="div">
        {question?.text}
      </Text>
      {wanted !== undefined && (
        <TextInput
          mt={12}
          label={`Type ${wanted} to confirm`}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      )}
      {error && (
        <Text size="sm" c="var(--hp-bad)" mt={12} role="alert">
          {error}
        </Text>
      )}
      <Group justify="flex-end" gap={8} mt={24}>
        <Button variant="default" onClick={() => setQuestion(undefined)} data-autofocus>
          Cancel
        </Button>
        <Button
          data-tone={question?.isHarmless ? undefined : 'bad'}
          loading={busy}
          disabled={wanted !== undefined && typed !== wanted}
          onClick={() => void run()}
        >
          {question?.action}
        </Button>
      </Group>
    </Modal>
  );
  return { ask, dialog };
}
