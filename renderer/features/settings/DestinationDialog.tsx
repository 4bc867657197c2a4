import { MultiSelect, TextInput } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { ShownDestination, ShownWebhookType } from '../../api/contract.ts';
import { integrationChoicesQueryOptions } from '../../api/integrations/integrations-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { CodeInput } from '../../components/form/CodeInput.tsx';
import { FormActions } from '../../components/form/FormActions.tsx';
import { IntegrationsSelect } from '../../components/form/IntegrationsSelect.tsx';
import { OpenModal } from '../../components/notice/OpenModal.tsx';
import { problemsByField } from '../../lib/api-error.ts';
import classes from './MoreDestinations.module.css';
import { TYPES } from './TestEvent.tsx';

type Draft = Omit<ShownDestination, 'id'>;

interface DestinationDialogProps {
  title: string;
  /** The label of the button. */
  action: string;
  /** The initial values. */
  draft: Draft;
  isPending: boolean;
  error: Error | null;
  onCancel: () => void;
  onSubmit: (draft: Draft) => void;
}

/** Name, address and filters of a destination. */
export function DestinationDialog(props: DestinationDialogProps) {
  const { title, action, isPending, error, onCancel, onSubmit } = props;
  const [draft, setDraft] = useState(props.draft);
  const integrations = useQuery(integrationChoicesQueryOptions(useEnv())).data ?? [];
  const change = (patch: Partial<Draft>): void => setDraft({ ...draft, ...patch });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit({ ...draft, name: draft.name?.trim() || null });
  };
  const problems = problemsByField(error);
  return (
    <OpenModal onClose={onCancel} title={title} size={520} withCloseButton={false}>
      <form onSubmit={submit} noValidate>
        <CodeInput
          data-autofocus
          label="URL"
          description="It gets a signed POST. It may be on this computer."
          placeholder="http://localhost:4000/webhooks"
          value={draft.url}
          error={problems['url']}
          onChange={(event) => change({ url: event.currentTarget.value.trim() })}
        />
        <TextInput
          mt={12}
          label="Name"
          description="Optional. Shown in this list and in the list of webhooks."
          placeholder="Billing"
          autoComplete="off"
          maxLength={100}
          value={draft.name ?? ''}
          error={problems['name']}
          onChange={(event) => change({ name: event.currentTarget.value })}
        />
        <MultiSelect
          mt={12}
          label="Events"
          placeholder={draft.types.length === 0 ? 'All events' : ''}
          searchable
          data={TYPES}
          renderOption={({ checked, option }) => (
            <EventOption type={option.value as ShownWebhookType} isChosen={checked === true} />
          )}
          value={draft.types}
          error={problems['types']}
          onChange={(next) => change({ types: next as ShownWebhookType[] })}
        />
        <IntegrationsSelect
          integrations={integrations}
          mt={12}
          value={draft.integrations}
          error={problems['integrations']}
          onChange={(next) => change({ integrations: next })}
        />
        <FormActions
          action={action}
          error={problems['whole']}
          isPending={isPending}
          isDisabled={draft.url === ''}
          mt={24}
          onCancel={onCancel}
        />
      </form>
    </OpenModal>
  );
}

const MEANINGS: Record<ShownWebhookType, string> = {
  auth: 'A connection is made, or its credentials fail',
  sync: 'A sync ends',
  async_action: 'A background action ends',
  forward: 'A provider sent a webhook',
};

function EventOption({ type, isChosen }: { type: ShownWebhookType; isChosen: boolean }) {
  return (
    <span className={`grid ${classes['event']}`}>
      <span className="centred">{isChosen && <IconCheck size={14} stroke={1.6} aria-hidden />}</span>
      <code>{type}</code>
      <span className="soft">{MEANINGS[type]}</span>
    </span>
  );
}
