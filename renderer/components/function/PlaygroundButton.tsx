import { Button } from '@mantine/core';
import { IconTerminal2 } from '@tabler/icons-react';

/** Opens the playground with what the page shows. */
export function PlaygroundButton({ onClick }: { onClick: () => void }) {
  return (
    <Button variant="default" leftSection={<IconTerminal2 size={16} stroke={1.6} />} onClick={onClick}>
      Playground
    </Button>
  );
}
