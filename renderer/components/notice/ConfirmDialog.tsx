import { Button, Group, Modal, Text, TextInput } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { focusedOutsideMenus } from '../focus-if-lost.ts';
import { useShell } from '../shell-context.ts';

export interface Question {
  title: string;
  text: ReactNode;
  /** The verb on the button: "Delete connection". */
  action: string;
  /** The action deletes nothing. */
  isHarmless?: boolean;
  /** Text to type first, where a mistake would be expensive; in a production environment by default its name. */
  typed?: string | undefined;
  run: () => Promise<unknown>;
}

interface ConfirmDialogProps {
  question: Question | undefined;
  /** `ended`: only this question is over; another one may be asked meanwhile. */
  onClose: (ended?: Question) => void;
}

/** The dialog of `useConfirm`. */
export function ConfirmDialog({ question, onClose }: ConfirmDialogProps) {
  const [isShown, setShown] = useState(false);
  // Only a dialog that opens remembers where the focus was, and this one may be mounted after a menu that asked has gone.
  useEffect(() => {
    if (question) focusedOutsideMenus()?.focus({ preventScroll: true });
    setShown(question !== undefined);
  }, [question]);
  const [typed, setTyped] = useState('');
  const [failed, setFailed] = useState<{ question: Question; message: string }>();
  const [running, setRunning] = useState<Question>();
  const busy = running !== undefined && running === question;
  const error = failed?.question === question ? failed?.message : undefined;
  const { productionName } = useShell();
  const wanted = question?.typed ?? (question?.isHarmless ? undefined : productionName);
  const isReady = wanted === undefined || typed === wanted;
  const run = async (asked: Question): Promise<void> => {
    setRunning(asked);
    try {
      await asked.run();
      onClose(asked);
    } catch (failure) {
      setFailed({ question: asked, message: failure instanceof Error ? failure.message : 'The action failed.' });
    } finally {
      setRunning((now) => (now === asked ? undefined : now));
    }
  };
  const [asked, setAsked] = useState(question);
  if (question !== asked) {
    setAsked(question);
    setTyped('');
    setFailed(undefined);
  }
  return (
    <Modal
      opened={isShown && question !== undefined}
      onClose={() => onClose()}
      title={question?.title}
      size={440}
      withCloseButton={false}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (question && isReady && !busy) void run(question);
        }}
      >
        <Text size="md" c="dimmed" component="div">
          {question?.text}
        </Text>
        {wanted !== undefined && (
          <TextInput
            mt={12}
            label={`Type ${wanted} to confirm`}
            value={typed}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        )}
        {error && (
          <Text size="sm" c="var(--hp-bad)" mt={12} role="alert">
            {error}
          </Text>
        )}
        <Group justify="flex-end" gap={8} mt={24}>
          <Button variant="default" onClick={() => onClose()} data-autofocus={wanted === undefined || undefined}>
            Cancel
          </Button>
          <Button type="submit" data-tone={question?.isHarmless ? undefined : 'bad'} loading={busy} disabled={!isReady}>
            {question?.action}
          </Button>
        </Group>
      </form>
    </Modal>
  );
}
