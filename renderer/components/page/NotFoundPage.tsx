import { Button } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import { Link } from 'react-router';
import { useShell } from '../shell-context.ts';
import { EmptyState } from './EmptyState.tsx';
import { PageHeader } from './PageHeader.tsx';

const RecentScreens = lazy(async () => ({ default: (await import('./RecentScreens.tsx')).RecentScreens }));

interface NotFoundPageProps {
  /** A sentence that says what is missing. */
  message: string;
  /** The list that would contain it. */
  to: string;
  toLabel: string;
}

/** The page for an object that does not exist, with the list that would contain it, a search, and the screens that were open before. */
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
      <Suspense fallback={null}>
        <RecentScreens />
      </Suspense>
    </>
  );
}
