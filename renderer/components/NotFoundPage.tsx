import { Button } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { Link } from 'react-router';
import { EmptyState } from './EmptyState.tsx';
import { PageHeader } from './PageHeader.tsx';
import { useShell } from './shell-context.ts';

interface NotFoundPageProps {
  /** What is missing, as a sentence. */
  message: string;
  /** The list that it would be in. */
  to: string;
  toLabel: string;
}

/** An address whose object is gone, or never was: says so, and leads on. */
export function NotFoundPage({ message, to, toLabel }: NotFoundPageProps) {
  const { openPalette } = useShell();
  return (
    <>
      <PageHeader title="Not found" />
      <EmptyState title={message} text="It was deleted or renamed, or the link is old.">
        <Button component={Link} to={to}>
          {toLabel}
        </Button>
        <Button variant="default" leftSection={<IconSearch size={16} stroke={1.6} aria-hidden />} onClick={openPalette}>
          Search
        </Button>
      </EmptyState>
    </>
  );
}
