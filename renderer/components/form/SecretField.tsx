import { ActionIcon, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy, IconEye, IconEyeOff } from '@tabler/icons-react';
import { useState } from 'react';
import { notifyError } from '../notice/notify.ts';
import { useShell } from '../shell-context.ts';
import classes from './SecretField.module.css';
import { useShownSecret } from './use-shown-secret.ts';

const COPIED_MS = 1500;

interface SecretFieldProps {
  label: string;
  /** Asks the server for the value; called once per reveal or copy. */
  reveal: () => Promise<string>;
}

/** Masked until revealed; hides again after 30 s or when the window loses the focus. */
export function SecretField({ label, reveal }: SecretFieldProps) {
  const [value, setValue] = useShownSecret();
  const { copySecret } = useShell();
  const [isCopied, setCopied] = useState(false);
  const show = (): void => {
    if (value !== undefined) setValue(undefined);
    else reveal().then(setValue, notifyError);
  };
  const copy = (): void => {
    reveal()
      .then(copySecret)
      .then(() => {
        setCopied(true);
        setTimeout(() => setCopied(false), COPIED_MS);
      })
      .catch(notifyError);
  };
  const isShown = value !== undefined;
  return (
    <span className={`middle ${classes['field']}`}>
      <code className={`faint breaks ${classes['value']}`} data-shown={isShown || undefined}>
        {value ?? '••••••••••••'}
      </code>
      <Tooltip label={isShown ? 'Hide' : 'Show'}>
        <ActionIcon size={24} aria-label={`${isShown ? 'Hide' : 'Show'} ${label}`} onClick={show}>
          {isShown ? <IconEyeOff size={14} stroke={1.6} /> : <IconEye size={14} stroke={1.6} />}
        </ActionIcon>
      </Tooltip>
      <Tooltip label={isCopied ? 'Copied' : 'Copy'}>
        <ActionIcon size={24} aria-label={`Copy ${label}`} onClick={copy}>
          {isCopied ? <IconCheck size={14} stroke={1.6} /> : <IconCopy size={14} stroke={1.6} />}
        </ActionIcon>
      </Tooltip>
    </span>
  );
}
