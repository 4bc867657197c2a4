import { Button, Group, Modal, Text } from '@mantine/core';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { useBlocker } from 'react-router';
import { UnsavedContext } from './unsaved-context.ts';

interface UnsavedGuardProps {
  /** Names of search parameters whose change removes the sections, as leaving the page does. */
  parameters?: readonly string[];
  children: ReactNode;
}

/** Confirms leaving a page with unsaved sections. */
export function UnsavedGuard({ parameters = [], children }: UnsavedGuardProps) {
  const [dirty, setDirty] = useState<readonly string[]>([]);
  // A page may be left right after saving, before the next render.
  const latest = useRef<readonly string[]>([]);
  const notify = useCallback((section: string, isDirty: boolean) => {
    const old = latest.current;
    if (old.includes(section) === isDirty) return;
    latest.current = isDirty ? [...old, section] : old.filter((one) => one !== section);
    setDirty(latest.current);
  }, []);
  const isDirty = dirty.length > 0;
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      latest.current.length > 0 &&
      (currentLocation.pathname !== nextLocation.pathname ||
        differs(currentLocation.search, nextLocation.search, parameters)),
  );
  useEffect(() => {
    if (!isDirty) return;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isDirty]);
  return (
    <UnsavedContext value={notify}>
      {children}
      <Modal
        opened={blocker.state === 'blocked'}
        onClose={() => blocker.reset?.()}
        title="Leave without saving?"
        size={440}
        withCloseButton={false}
      >
        <Text size="md" c="dimmed">
          {`Changes to ${dirty.join(' and ')} are not saved.`}
        </Text>
        <Group justify="flex-end" gap={8} mt={24}>
          <Button variant="default" data-autofocus onClick={() => blocker.reset?.()}>
            Stay
          </Button>
          <Button data-tone="bad" onClick={() => blocker.proceed?.()}>
            Discard changes
          </Button>
        </Group>
      </Modal>
    </UnsavedContext>
  );
}

function differs(before: string, after: string, names: readonly string[]): boolean {
  const [a, b] = [new URLSearchParams(before), new URLSearchParams(after)];
  return names.some((name) => a.get(name) !== b.get(name));
}
