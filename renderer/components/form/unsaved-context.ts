import { createContext, useContext, useEffect, useRef } from 'react';

/** Tells the page whether a section has unsaved changes. */
export const UnsavedContext = createContext<(section: string, isDirty: boolean) => void>(() => {});

/** Everything on the screen that is typed and not saved, dialogs included. */
const unsaved = new Set<object>();

/** Whether something that a person typed would be lost if the screen went away. */
export const hasUnsaved = (): boolean => unsaved.size > 0;

/** While `isDirty`, leaving the page or the section asks first, naming the section: "Metadata". Returns a function that ends the guard at once. */
export function useUnsaved(section: string, isDirty: boolean): () => void {
  const notify = useContext(UnsavedContext);
  const id = useRef({});
  const end = (): void => {
    unsaved.delete(id.current);
    notify(section, false);
  };
  useEffect(() => {
    const own = id.current;
    notify(section, isDirty);
    if (isDirty) unsaved.add(own);
    return () => {
      unsaved.delete(own);
      notify(section, false);
    };
  }, [notify, section, isDirty]);
  return end;
}

/**
 * The data; while it is away because the vault was locked, and something typed is not saved, what was there last: the
 * form of the text stays mounted, hidden by `UnsavedGuard`.
 */
export function useHeld<T>(data: T | undefined): T | undefined {
  const last = useRef<T>(undefined);
  if (data !== undefined) last.current = data;
  else if (!hasUnsaved()) last.current = undefined;
  return last.current;
}
