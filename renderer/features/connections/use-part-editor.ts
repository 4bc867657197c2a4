import { type RefObject, useEffect, useRef, useState } from 'react';
import { useDraft } from '../../components/form/use-draft.ts';
import { notifyDone } from '../../components/notice/notify.ts';
import { describeError } from '../../lib/api-error.ts';

interface SendCallbacks {
  onSuccess: () => void;
  onError: (failure: Error) => void;
}

interface PartEditorOptions<Draft> {
  /** Name of the part in the message after saving: "Tags". */
  part: string;
  /** Name of the section in the question before unsaved changes are lost; the part by default. */
  section?: string;
  /** The stored value as a draft, where each edit starts. */
  stored: Draft;
  /** Whether there is something to save; by default any difference from where the edit started. */
  differs?: (draft: Draft, base: Draft) => boolean;
  /** Why the draft cannot be sent, as a sentence; undefined when it can. */
  problemOf: (draft: Draft) => string | undefined;
  /** What to do when the stored value changed during the edit, as a sentence; without it the draft is sent. */
  outdatedText?: string;
  send: (draft: Draft, callbacks: SendCallbacks) => void;
}

interface PartEditor<Draft> {
  /** Undefined while the part is shown and not edited. */
  draft: Draft | undefined;
  error: string | undefined;
  isDirty: boolean;
  /** Whether the stored value is another one than where the edit started. */
  isOutdated: boolean;
  /** For the button that starts the edit: it gets the focus back. */
  editButton: RefObject<HTMLButtonElement | null>;
  start: () => void;
  change: (draft: Draft) => void;
  save: () => void;
  /** Saves the draft over the value that is stored now. */
  replace: () => void;
  close: () => void;
}

/** One part of a connection that is viewed, edited, and saved or cancelled; a refused save stays in the editor. */
export function usePartEditor<Draft>(options: PartEditorOptions<Draft>): PartEditor<Draft> {
  const { part, section = part, stored, problemOf, outdatedText, send } = options;
  const { draft, isDirty, isOutdated, ...edit } = useDraft(section, stored, options.differs);
  const [error, setError] = useState<string>();
  const editButton = useRef<HTMLButtonElement>(null);
  const isEditing = draft !== undefined;
  const wasEditing = useRef(isEditing);
  // After the render that mounts the button again.
  useEffect(() => {
    if (wasEditing.current && !isEditing) editButton.current?.focus();
    wasEditing.current = isEditing;
  }, [isEditing]);
  const change = (next: Draft, from?: Draft): void => {
    edit.change(next, from);
    setError(undefined);
  };
  const start = (): void => change(stored, stored);
  const close = (): void => {
    edit.end();
    setError(undefined);
  };
  const submit = (): void => {
    if (draft === undefined) return;
    const problem = problemOf(draft);
    if (problem !== undefined) return setError(problem);
    send(draft, {
      onSuccess: () => {
        edit.saved(draft);
        setError(undefined);
        notifyDone(`${part} saved`);
      },
      onError: (failure) => {
        const { code, message } = describeError(failure);
        // The newer value arrives soon, with the question whether to replace it.
        setError(code === 'checkpoint_conflict' || code === 'conflict' ? (outdatedText ?? message) : message);
      },
    });
  };
  const save = (): void => (isOutdated && outdatedText !== undefined ? setError(outdatedText) : submit());
  const replace = (): void => {
    if (draft !== undefined) change(draft, stored);
    submit();
  };
  return { draft, error, isDirty, isOutdated, editButton, start, change, save, replace, close };
}
