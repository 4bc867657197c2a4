import { Button } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useShell } from '../shell-context.ts';
import classes from './LockedNotice.module.css';

/** Shown in place of content that needs the vault; the content is refetched after unlocking. */
export function LockedNotice({ children }: { children: ReactNode }) {
  const { setVaultLocked } = useShell();
  return (
    <div className={`row wrap frame ${classes['notice']}`}>
      <IconLock size={16} stroke={1.6} className="rigid faint" aria-hidden />
      <p className="soft" style={{ flex: '1 1 240px' }}>
        <b>The vault is locked.</b> {children}
      </p>
      <Button size="xs" variant="default" onClick={() => setVaultLocked(false)}>
        Unlock
      </Button>
    </div>
  );
}
