import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useAnswerPairing } from '../../api/apps/apps-mutations.ts';
import { pairingsQueryOptions } from '../../api/apps/apps-queries.ts';
import type { PairingRow } from '../../api/contract.ts';
import { OWN_ERROR } from '../../api/use-change.ts';
import { useEnv } from '../../api/use-env.ts';
import { notifyDone, notifyError } from '../../components/notice/notify.ts';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { useListFocus } from '../../components/use-list-focus.ts';
import classes from './Apps.module.css';
import { KeyDialog, type KeyDraft } from './KeyForm.tsx';
import { accessText } from './key-access.ts';

/** Apps that ask for a key; the code on both screens confirms which app it is. */
export function PairingRequests() {
  const { data } = useQuery(pairingsQueryOptions(useEnv()));
  /** The request whose dialog is open and unanswered. */
  const [opened, setOpened] = useState<PairingRow>();
  useEffect(() => {
    if (!opened || !data || data.some(({ id }) => id === opened.id)) return;
    setOpened(undefined);
    notifyError({ message: `${opened.name} no longer waits for a key. Let it ask again.`, code: 'not_found' });
  }, [opened, data]);
  if (!data || data.length === 0) return null;
  return (
    <div
      className="grid gap-12"
      style={{
        gridTemplateColumns: 'repeat(auto-fill, minmax(min(420px, 100%), 1fr))',
        alignItems: 'start',
        padding: '0 var(--hp-gutter) 16px',
      }}
    >
      {data.map((pairing) => (
        <Request key={pairing.id} pairing={pairing} onOpened={setOpened} />
      ))}
    </div>
  );
}

interface RequestProps {
  pairing: PairingRow;
  /** The dialog was opened, or with undefined: answered or closed. */
  onOpened: (pairing: PairingRow | undefined) => void;
}

function Request({ pairing, onOpened }: RequestProps) {
  const answer = useAnswerPairing(pairing.id, OWN_ERROR);
  const denial = useAnswerPairing(pairing.id);
  const part = useRef<HTMLElement>(null);
  useListFocus(part);
  const [isAllowing, setAllowing] = useState(false);
  const open = (isOpen: boolean): void => {
    setAllowing(isOpen);
    onOpened(isOpen ? pairing : undefined);
  };
  const { code, expiresAt, name, process, scopes } = pairing;
  const allow = async (draft: KeyDraft): Promise<void> => {
    onOpened(undefined);
    try {
      // The answered request may leave the list before the call has ended, and callbacks of `mutate` would be lost.
      await answer.mutateAsync({ decision: 'allow', ...draft });
      notifyDone(`${draft.name} gets its key`);
    } catch {
      // The dialog shows the error of the mutation.
    }
  };
  return (
    <section ref={part} className={classes['request']} aria-label={`${name} asks for a key`}>
      <h2>{name} asks for a key</h2>
      <p className="soft">
        {process ? (
          <>
            From <code>{process.path}</code>.{' '}
          </>
        ) : null}
        Allow it only when the app shows this code:
      </p>
      <code className={`frame sunken ${classes['code']}`}>{code}</code>
      <p className="soft">
        It asks for {accessText(scopes).toLowerCase()}. The request ends <RelativeTime at={expiresAt} />.
      </p>
      <div className="row" style={{ marginTop: 12 }}>
        <Button onClick={() => open(true)}>Allow</Button>
        <Button
          variant="default"
          loading={answer.isPending && !isAllowing}
          onClick={() => denial.mutate({ decision: 'deny' })}
        >
          Deny
        </Button>
      </div>
      {isAllowing && (
        <KeyDialog
          title={`A key for ${name}`}
          draft={{ name, scopes, allowed: null, icon: null, colour: null }}
          action="Allow"
          isPending={answer.isPending}
          error={answer.error}
          onCancel={() => open(false)}
          onSubmit={(draft) => void allow(draft)}
        />
      )}
    </section>
  );
}
