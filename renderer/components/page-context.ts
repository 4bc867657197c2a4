import { createContext, useContext, useEffect } from 'react';

export interface Crumb {
  label: string;
  /** Absent for the last one. */
  to?: string;
}

export const PageContext = createContext<(crumbs: Crumb[]) => void>(() => {});

/** Tells the shell where we are: the trail in the header and the title of the window. */
export function usePage(crumbs: Crumb[]): void {
  const setCrumbs = useContext(PageContext);
  const text = JSON.stringify(crumbs);
  useEffect(() => setCrumbs(JSON.parse(text) as Crumb[]), [setCrumbs, text]);
}
