import { ActionIcon, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy, IconEye, IconEyeOff } from '@tabler/icons-react';
import classes from './SecretField.module.css';
import { useShownSecret } from './use-shown-secret.ts';

const CLIPBOARD_MS = 60_000;

/** Clears the clipboard after a minute, unless something else was copied meanwhile. */
async function clearLater(value: string): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, CLIPBOARD_MS));
  try {
    if ((await navigator.clipboard.readText()) === value) await navigator.clipboard.writeText('');
  } catch {
    // Without the permission to read the clipboard its content is unknown, so it stays.
  }
}

interface SecretFieldProps {
  label: string;
  /** Asks the server for the value; called once per reveal or copy. */
  reveal: () => Promise<string>;
  onError: (error: unknown) => void;
}

/** Masked until revealed; hides again after 30 s or when the window loses the focus. */
export function SecretField({ label, reveal, onError }: SecretFieldProps) {
  const [value, setValue] = useShownSecret();
  const clipboard = useClipboard({ timeout: 1500 });
  const show = (): void => {
    if (value !== undefined) setValue(undefined);
    else reveal().then(setValue, onError);
  };
  const copy = (): void => {
    reveal().then((secret) => {
      clipboard.copy(secret);
      void clearLater(secret);
    }, onError);
  };
  const isShown = value !== undefined;
  return (
    <span className={classes['field']}>
      <code className={classes['value']} data-shown={isShown || undefined}>
        {value ?? '••••••••••••'}
      </code>
      <Tooltip label={isShown ? 'Hide' : 'Show'}>
        <ActionIcon size={24} aria-label={`${isShown ? 'Hide' : 'Show'} ${label}`} onClick={show}>
          {isShown ? <IconEyeOff size={14} stroke={1.6} /> : <IconEye size={14} stroke={1.6} />}
        </ActionIcon>
      </Tooltip>
      <Tooltip label={clipboard.copied ? 'Copied' : 'Copy'}>
        <ActionIcon size={24} aria-label={`Copy ${label}`} onClick={copy}>
          {clipboard.copied ? <IconCheck size={14} stroke={1.6} /> : <IconCopy size={14} stroke={1.6} />}
        </ActionIcon>
      </Tooltip>
    </span>
  );
}
