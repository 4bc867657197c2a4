import { Button, PinInput, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { describeError } from '../api/api-error.ts';
import { desktopBridge } from '../api/desktop-bridge.ts';
import { useDashboardLogin } from '../api/hub/hub-mutations.ts';
import { ProductMark } from '../components/ProductMark.tsx';
import classes from './LockPage.module.css';

const CODE_LENGTH = 6;

export function LockPage() {
  const [code, setCode] = useState('');
  const login = useDashboardLogin();
  // The desktop window needs no code: the shell reloads the page with a new session.
  useEffect(() => void desktopBridge()?.logIn(), []);
  const send = (value: string): void => login.mutate(value, { onError: () => setCode('') });
  return (
    <main className={classes['page']}>
      <form
        className={classes['card']}
        onSubmit={(event) => {
          event.preventDefault();
          send(code);
        }}
      >
        <ProductMark size={32} />
        <h1>This browser is not signed in</h1>
        <p className="soft">
          Open Homeport and choose <b>Open in browser</b>, or enter the pairing code it shows. Without the desktop app,
          run <code>npx homeport open</code> in the folder of Homeport.
        </p>
        <label className={classes['label']} htmlFor="pairing-code-1">
          Pairing code
        </label>
        <PinInput
          id="pairing-code"
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
