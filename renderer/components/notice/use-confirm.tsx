import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { focusNearby } from '../focus-if-lost.ts';
import type { Question } from './ConfirmDialog.tsx';

const ConfirmDialog = lazy(async () => ({ default: (await import('./ConfirmDialog.tsx')).ConfirmDialog }));

/** `ask(question)` opens the dialog; render `dialog` somewhere in the page. It closes when `run` succeeds. */
export function useConfirm(): { ask: (question: Question) => void; dialog: ReactNode } {
  const [question, setQuestion] = useState<Question>();
  const [isWanted, setWanted] = useState(false);
  const refocus = useRef<() => void>(undefined);
  const isOpen = question !== undefined;
  // What asked may be gone after the action, with the page part that the dialog belongs to.
  useEffect(() => (isOpen ? () => refocus.current?.() : undefined), [isOpen]);
  const ask = (next: Question): void => {
    refocus.current = focusNearby();
    setWanted(true);
    setQuestion(next);
  };
  const dialog = isWanted && (
    <Suspense fallback={null}>
      <ConfirmDialog
        question={question}
        onClose={(ended) => setQuestion((now) => (ended === undefined || ended === now ? undefined : now))}
      />
    </Suspense>
  );
  return { ask, dialog };
}
