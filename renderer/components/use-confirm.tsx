import { lazy, type ReactNode, Suspense, useState } from 'react';
import type { Question } from './ConfirmDialog.tsx';

const ConfirmDialog = lazy(async () => ({ default: (await import('./ConfirmDialog.tsx')).ConfirmDialog }));

/** `ask(question)` opens the dialog; render `dialog` somewhere in the page. It closes when `run` succeeds. */
export function useConfirm(): { ask: (question: Question) => void; dialog: ReactNode } {
  const [question, setQuestion] = useState<Question>();
  const [isWanted, setWanted] = useState(false);
  const ask = (next: Question): void => {
    setWanted(true);
    setQuestion(next);
  };
  const dialog = isWanted && (
    <Suspense fallback={null}>
      <ConfirmDialog question={question} onClose={() => setQuestion(undefined)} />
    </Suspense>
  );
  return { ask, dialog };
}
