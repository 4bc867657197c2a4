import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { agentOffersQueryOptions, useMakeSession } from '../../api/agents/agents-queries.ts';
import type { AgentGrant, AgentOffer } from '../../api/contract.ts';
import { useEnv } from '../../api/use-env.ts';
import { CopyButton } from '../../components/CopyButton.tsx';
import { FormActions } from '../../components/form/FormActions.tsx';
import { AskingModal } from '../../components/notice/OpenModal.tsx';
import { describeError } from '../../lib/api-error.ts';
import { AccountChoice, useAccountChoice } from './AccountChoice.tsx';

/** Makes a session by hand, and shows its entry once. */
export function NewSession({ isOpen, onClose }: { isOpen: boolean; onClose: (isDone: boolean) => void }) {
  const make = useMakeSession();
  const offers = useQuery({ ...agentOffersQueryOptions(useEnv()), enabled: isOpen });
  const made = make.data;
  const close = (): void => {
    onClose(made !== undefined);
    make.reset();
  };
  return (
    <AskingModal
      opened={isOpen}
      isSaved={made !== undefined}
      onClose={close}
      title={made ? 'The session is ready' : 'New session'}
      size={520}
      withCloseButton={false}
    >
      {made && <Made url={made.url} token={made.token} onClose={close} />}
      {!made && offers.data && (
        <Choice
          offers={offers.data}
          error={make.error}
          isPending={make.isPending}
          onCancel={close}
          onMake={make.mutate}
        />
      )}
    </AskingModal>
  );
}

interface ChoiceProps {
  offers: AgentOffer[];
  error: Error | null;
  isPending: boolean;
  onCancel: () => void;
  onMake: (grant: AgentGrant) => void;
}

function Choice({ offers, error, isPending, onCancel, onMake }: ChoiceProps) {
  const { grant, shown } = useAccountChoice(offers);
  return (
    <div className="stack gap-16">
      <Text size="md" c="dimmed">
        {offers.length === 0
          ? 'There is no account yet that an agent could use. Connect one first.'
          : 'An address for one agent, with the accounts that you choose.'}
      </Text>
      {offers.length > 0 && <AccountChoice {...shown} />}
      <FormActions
        action="Make session"
        error={error && describeError(error).message}
        isPending={isPending}
        isDisabled={grant === undefined}
        onCancel={onCancel}
        onAct={() => grant && onMake(grant)}
      />
    </div>
  );
}

function Made({ url, token, onClose }: { url: string; token: string; onClose: () => void }) {
  const entry = { mcpServers: { homeport: { type: 'http', url, headers: { Authorization: `Bearer ${token}` } } } };
  const code = JSON.stringify(entry, null, 2);
  return (
    <>
      <Text size="md" c="dimmed">
        Put this into the configuration of the agent. The token is shown only once.
      </Text>
      <pre className="scroll frame sunken" style={{ padding: '12px 16px' }}>
        {code}
      </pre>
      <Group justify="flex-end" gap={8} mt={16}>
        <CopyButton value={code} isSecret label="Copy entry" />
        <Button data-autofocus onClick={onClose}>
          Done
        </Button>
      </Group>
    </>
  );
}
