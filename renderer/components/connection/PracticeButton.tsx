import { Button } from '@mantine/core';

/** Sets up the practice provider, which needs no account. */
export function PracticeButton({ isPending, onClick }: { isPending: boolean; onClick: () => void }) {
  return (
    <Button onClick={onClick} loading={isPending}>
      Try the practice provider
    </Button>
  );
}
