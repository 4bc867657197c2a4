import { createContext, useContext, useEffect } from 'react';

/** Tells the page whether a section has changes that are not saved. */
export const UnsavedContext = createContext<(section: string, isDirty: boolean) => void>(() => {});

/** While `isDirty`, the page asks before it is left, naming the section: "Metadata". Returns how to stop that at once. */
export function useUnsaved(section: string, isDirty: boolean): () => void {
  const notify = useContext(UnsavedContext);
  useEffect(() => {
    notify(section, isDirty);
    return () => notify(section, false);
  }, [notify, section, isDirty]);
  return () => notify(section, false);
}
