import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { Banner } from '../../components/page/Banner.tsx';

interface OutdatedBannerProps {
  /** "The metadata changed meanwhile." */
  children: ReactNode;
  isSaving: boolean;
  onKeep: () => void;
  onReplace: () => void;
}

/** Asks which value stays when the stored one changed while it was edited. */
export function OutdatedBanner({ children, isSaving, onKeep, onReplace }: OutdatedBannerProps) {
  return (
    <div role="alert">
      <Banner
        tone="warn"
        actions={
          <Group gap={8}>
            <Button size="xs" variant="default" onClick={onKeep}>
              Keep newer
            </Button>
            <Button size="xs" variant="default" onClick={onReplace} loading={isSaving}>
              Replace
            </Button>
          </Group>
        }
      >
        {children}
      </Banner>
    </div>
  );
}
