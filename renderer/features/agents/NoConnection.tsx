import { Button } from '@mantine/core';
import { Link } from 'react-router';
import { useEnv } from '../../api/use-env.ts';
import { EmptyState } from '../../components/page/EmptyState.tsx';
import { paths } from '../../lib/paths.ts';

export function NoConnection() {
  const env = useEnv();
  return (
    <EmptyState
      title="No connections yet"
      text="A client calls the tools of one connection: the actions of its integration, with its user's sign-in."
    >
      <Button component={Link} variant="default" to={paths.newConnection(env)}>
        New connection
      </Button>
    </EmptyState>
  );
}
