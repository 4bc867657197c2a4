import { Button, Group, Modal, Text } from '@mantine/core';

interface DiscardQuestionProps {
  isOpen: boolean;
  title: string;
  text: string;
  stay: string;
  onStay: () => void;
  onDiscard: () => void;
}

/** Asks before typed text is lost; Esc stays. */
export function DiscardQuestion({ isOpen, title, text, stay, onStay, onDiscard }: DiscardQuestionProps) {
  return (
    <Modal opened={isOpen} onClose={onStay} title={title} size={440} withCloseButton={false}>
      <Text size="md" c="dimmed">
        {text}
      </Text>
      <Group justify="flex-end" gap={8} mt={24}>
        <Button variant="default" data-autofocus onClick={onStay}>
          {stay}
        </Button>
        <Button data-tone="bad" onClick={onDiscard}>
          Discard changes
        </Button>
      </Group>
    </Modal>
  );
}
