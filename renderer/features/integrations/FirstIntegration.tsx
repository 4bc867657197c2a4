import { Button } from '@mantine/core';
import { Link } from 'react-router';
import { usePractice } from '../../api/integrations/integrations-mutations.ts';
import { useEnv } from '../../api/use-env.ts';
import { PracticeButton } from '../../components/connection/PracticeButton.tsx';
import { EmptyState } from '../../components/page/EmptyState.tsx';
import { paths } from '../../lib/paths.ts';

/** The actions of a list without integrations. */
export function FirstIntegration() {
  const env = useEnv();
  const practice = usePractice();
  return (
    <EmptyState
      title="No integrations yet"
      text="An integration holds what Homeport needs to talk to one provider. The practice provider works offline and needs no account."
    >
      <PracticeButton isPending={practice.isPending} onClick={practice.start} />
      <Button variant="default" component={Link} to={paths.newIntegration(env)}>
        Choose a provider
      </Button>
    </EmptyState>
  );
}
