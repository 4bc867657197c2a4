import { Button } from '@mantine/core';
import { Link } from 'react-router';
import { useEnv } from '../api/use-env.ts';
import { EmptyState } from '../components/EmptyState.tsx';
import { PageHeader } from '../components/PageHeader.tsx';
import { usePage } from '../components/page-context.ts';

export function NotFound() {
  const env = useEnv();
  usePage([{ label: 'Not found' }]);
  return (
    <>
      <PageHeader title="Nothing is here" />
      <EmptyState title="The address leads nowhere" text="It may be an old link, or what it named was deleted.">
        <Button component={Link} to={`/${env}/connections`}>
          Go to connections
        </Button>
      </EmptyState>
    </>
  );
}
