import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { useBlocker } from 'react-router';
import { DiscardQuestion } from './DiscardQuestion.tsx';
import { UnsavedContext } from './unsaved-context.ts';

interface UnsavedGuardProps {
  /** Names of search parameters whose change removes the sections, as leaving the page does. */
  parameters?: readonly string[];
  /** Shown in place of the sections while their data is away; they stay mounted, so that nothing typed is lost. */
  instead?: ReactNode;
  children: ReactNode;
}

/** Confirms leaving a page with unsaved sections. */
export function UnsavedGuard({ parameters = [], instead, children }: UnsavedGuardProps) {
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
      {instead}
      <div style={{ display: instead === undefined ? 'contents' : 'none' }}>{children}</div>
      <DiscardQuestion
        isOpen={blocker.state === 'blocked'}
        title="Leave without saving?"
        text={`Changes to ${dirty.join(' and ')} are not saved.`}
        stay="Stay"
        onStay={() => blocker.reset?.()}
        onDiscard={() => blocker.proceed?.()}
      />
    </UnsavedContext>
  );
}

function differs(before: string, after: string, names: readonly string[]): boolean {
  const [a, b] = [new URLSearchParams(before), new URLSearchParams(after)];
  return names.some((name) => a.get(name) !== b.get(name));
}
