import { Button, PinInput, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { desktopBridge } from '../api/desktop-bridge.ts';
import { useDashboardLogin } from '../api/hub/session-mutations.ts';
import { SESSION_STORED_AS } from '../api/session-token.ts';
import { ProductMark } from '../components/ProductMark.tsx';
import { describeError } from '../lib/api-error.ts';
import classes from './LockPage.module.css';

const CODE_LENGTH = 6;

/** `isTextKept`: unsaved text waits behind this page. */
export function LockPage({ isTextKept = false }: { isTextKept?: boolean }) {
  const [code, setCode] = useState('');
  const login = useDashboardLogin();
  const [bridge] = useState(desktopBridge);
  // The desktop window needs no code of a person: the shell reloads the page with a new session, or, where that would
  // lose text, gives the page a code.
  const { mutate } = login;
  useEffect(() => {
    if (!isTextKept) void bridge?.logIn();
    else void bridge?.getLoginCode().then((own) => own !== null && mutate(own));
  }, [bridge, isTextKept, mutate]);
  // Another tab of this browser signed in.
  const client = useQueryClient();
  useEffect(() => {
    const onStored = ({ key }: StorageEvent): void => {
      if (key === SESSION_STORED_AS) void client.invalidateQueries();
    };
    window.addEventListener('storage', onStored);
    return () => window.removeEventListener('storage', onStored);
  }, [client]);
  const boxes = useRef<HTMLDivElement>(null);
  const startAgain = (): void => {
    setCode('');
    boxes.current?.querySelector('input')?.focus();
  };
  const send = (value: string): void => login.mutate(value, { onError: startAgain });
  return (
    <main className={`centred ${classes['page']}`}>
      <form
        className={`stack gap-8 at-top card full ${classes['card']}`}
        onSubmit={(event) => {
          event.preventDefault();
          send(code);
        }}
      >
        <ProductMark size={32} />
        <h1>{isTextKept ? 'Sign in again' : 'This browser is not signed in'}</h1>
        {isTextKept && (
          <p role="status">The session has ended. What you typed and did not save is kept in this page until then.</p>
        )}
        <p className="soft">
          Open Homeport and choose <b>Open in browser</b>, or enter the pairing code it shows. Without the desktop app,
          run <code>npx homeport open</code> in the folder of Homeport.
        </p>
        <label className="name pt-8" htmlFor="pairing-code-1">
          Pairing code
        </label>
        <PinInput
          id="pairing-code"
          rootRef={boxes}
          length={CODE_LENGTH}
          type="number"
          placeholder=""
          size="md"
          autoFocus
          value={code}
          onChange={setCode}
          onComplete={send}
          error={login.isError}
          getInputProps={(index) => ({ 'aria-label': `Digit ${index + 1} of the pairing code` })}
        />
        <Text size="sm" role="alert" c="var(--hp-bad)" mih={16}>
          {login.isError ? describeError(login.error).message : ''}
        </Text>
        <Button type="submit" loading={login.isPending} disabled={code.length < CODE_LENGTH}>
          Sign in
        </Button>
      </form>
    </main>
  );
}
