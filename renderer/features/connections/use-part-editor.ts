import { type RefObject, useEffect, useRef, useState } from 'react';
import { describeError } from '../../api/api-error.ts';
import { notifyDone } from '../../components/notify.ts';
import { useUnsaved } from '../../components/unsaved-context.ts';

interface PartEditorOptions<Draft> {
  /** Name of the part in the message after saving: "Tags". */
  part: string;
  /** Name of the section in the question before unsaved changes are lost; the part by default. */
  section?: string;
  /** The stored value as a draft, where each edit starts. */
  stored: Draft;
  isDirty: (draft: Draft) => boolean;
  /** Why the draft cannot be sent, as a sentence; undefined when it can. */
  problemOf: (draft: Draft) => string | undefined;
  send: (draft: Draft, callbacks: { onSuccess: () => void; onError: (failure: Error) => void }) => void;
}

interface PartEditor<Draft> {
  /** Undefined while the part is shown and not edited. */
  draft: Draft | undefined;
  error: string | undefined;
  isDirty: boolean;
  /** For the button that starts the edit: it gets the focus back. */
  editButton: RefObject<HTMLButtonElement | null>;
  start: () => void;
  change: (draft: Draft) => void;
  save: () => void;
  close: () => void;
}

/** One part of a connection that is viewed, edited, and saved or cancelled; a refused save stays in the editor. */
export function usePartEditor<Draft>(options: PartEditorOptions<Draft>): PartEditor<Draft> {
  const { part, section = part, stored, problemOf, send } = options;
  const [draft, setDraft] = useState<Draft>();
  const [error, setError] = useState<string>();
  const editButton = useRef<HTMLButtonElement>(null);
  /** The value where the edit started: the stored one may change meanwhile, and an untouched draft is not unsaved. */
  const [untouched, setUntouched] = useState<Draft>();
  const isDirty = draft !== undefined && draft !== untouched && options.isDirty(draft);
  useUnsaved(section, isDirty);
  const isEditing = draft !== undefined;
  const wasEditing = useRef(isEditing);
  // After the render that mounts the button again.
  useEffect(() => {
    if (wasEditing.current && !isEditing) editButton.current?.focus();
    wasEditing.current = isEditing;
  }, [isEditing]);
  const show = (next: Draft | undefined): void => {
    setDraft(next);
    setError(undefined);
  };
  const start = (): void => {
    setUntouched(stored);
    show(stored);
  };
  const close = (): void => show(undefined);
  const save = (): void => {
    if (draft === undefined) return;
    const problem = problemOf(draft);
    if (problem !== undefined) return setError(problem);
    send(draft, {
      onSuccess: () => {
        close();
        notifyDone(`${part} saved`);
      },
      onError: (failure) => setError(describeError(failure).message),
    });
  };
  return { draft, error, isDirty, editButton, start, change: show, save, close };
}
