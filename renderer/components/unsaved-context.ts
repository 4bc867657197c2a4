import { createContext, useContext, useEffect } from 'react';

/** Tells the page whether a section has unsaved changes. */
export const UnsavedContext = createContext<(section: string, isDirty: boolean) => void>(() => {});

/** While `isDirty`, leaving the page or the section asks first, naming the section: "Metadata". Returns a function that ends the guard at once. */
export function useUnsaved(section: string, isDirty: boolean): () => void {
  const notify = useContext(UnsavedContext);
  useEffect(() => {
    notify(section, isDirty);
    return () => notify(section, false);
  }, [notify, section, isDirty]);
  return () => notify(section, false);
}
