import { Button } from '@mantine/core';
import { useIsVaultChanging } from '../api/hub/vault-mutations.ts';
import { Banner } from '../components/page/Banner.tsx';
import { useShell } from '../components/shell-context.ts';

/** On every screen while the vault is locked. */
export function VaultBanner() {
  const { setVaultLocked } = useShell();
  const isChanging = useIsVaultChanging();
  return (
    <Banner
      tone="warn"
      actions={
        <Button size="xs" variant="default" loading={isChanging} onClick={() => setVaultLocked(false)}>
          Unlock
        </Button>
      }
    >
      <b>The vault is locked.</b> No secret can be read, and no run starts. Runs that become due meanwhile start once it
      is unlocked.
    </Banner>
  );
}
