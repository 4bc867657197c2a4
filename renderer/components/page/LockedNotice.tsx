import { Button } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useShell } from '../shell-context.ts';

/** Shown in place of content that needs the vault; the content is refetched after unlocking. */
export function LockedNotice({ children }: { children: ReactNode }) {
  const { setVaultLocked } = useShell();
  return (
    <div className="row wrap frame" style={{ gap: '8px 12px', maxWidth: 720, padding: '10px 12px' }}>
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
