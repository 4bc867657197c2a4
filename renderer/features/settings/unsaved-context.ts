import { createContext } from 'react';

/** Tells the page whether a section has changes that are not saved. */
export const UnsavedContext = createContext<(section: string, isDirty: boolean) => void>(() => {});
