import { TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { KeyRow } from '../../api/contract.ts';
import { FormActions } from '../../components/form/FormActions.tsx';
import { OpenModal } from '../../components/notice/OpenModal.tsx';
import { describeError } from '../../lib/api-error.ts';
import { AllowedChoice } from './AllowedChoice.tsx';
import { LookChoice } from './AppMark.tsx';
import { type KeyAccess, keyAccessOf, scopesOf, spreadScopes } from './key-access.ts';
import { ScopeChoice } from './ScopeChoice.tsx';

export interface KeyDraft extends Pick<KeyRow, 'allowed' | 'icon' | 'colour'> {
  name: string;
  scopes: string[];
}

interface KeyFormProps {
  /** The initial values. */
  draft: KeyDraft;
  /** The label of the button. */
  action: string;
  isPending: boolean;
  error: Error | null;
  onCancel: () => void;
  onSubmit: (draft: KeyDraft) => void;
}

/** Name and access of a key. */
export function KeyForm({ draft, action, isPending, error, onCancel, onSubmit }: KeyFormProps) {
  const [name, setName] = useState(draft.name);
  const [access, setAccess] = useState<KeyAccess>(() => keyAccessOf(draft.scopes));
  const [chosen, setChosen] = useState<readonly string[]>(() => spreadScopes(draft.scopes));
  const [allowed, setAllowed] = useState(draft.allowed);
  const [look, setLook] = useState({ icon: draft.icon, colour: draft.colour });
  const scopes = scopesOf(access, chosen);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit({ name: name.trim(), scopes, allowed, ...look });
  };
  return (
    <form onSubmit={submit}>
      <TextInput
        data-autofocus
        label="Name"
        description="Shown in the audit and in notifications."
        placeholder="Notes app"
        autoComplete="off"
        maxLength={255}
        value={name}
        error={error && describeError(error).message}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <LookChoice look={look} onChange={setLook} />
      <ScopeChoice
        access={access}
        chosen={chosen}
        onChange={(nextAccess, nextChosen) => {
          setAccess(nextAccess);
          setChosen(nextChosen);
        }}
      />
      <AllowedChoice allowed={allowed} onChange={setAllowed} />
      <FormActions
        action={action}
        isPending={isPending}
        isDisabled={name.trim() === '' || scopes.length === 0 || allowed?.length === 0}
        mt={24}
        onCancel={onCancel}
      />
    </form>
  );
}

/** The form in a dialog; undefined closes it. */
export function KeyDialog({ title, ...form }: KeyFormProps & { title: string }) {
  return (
    <OpenModal onClose={form.onCancel} title={title} size={600} withCloseButton={false}>
      <KeyForm {...form} />
    </OpenModal>
  );
}
