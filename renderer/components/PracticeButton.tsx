import { Button } from '@mantine/core';

/** Sets up the practice provider, which a first try needs no account for. */
export function PracticeButton({ isPending, onClick }: { isPending: boolean; onClick: () => void }) {
  return (
    <Button onClick={onClick} loading={isPending}>
      Try the practice provider
    </Button>
  );
}
