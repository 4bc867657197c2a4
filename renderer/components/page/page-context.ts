import { createContext, useContext, useEffect } from 'react';

export interface Breadcrumb {
  label: string;
  /** Absent for the last one. */
  to?: string;
  /** A term of the dashboard, not a name that a person would copy. */
  isTitle?: true;
}

export const PageContext = createContext<(breadcrumbs: Breadcrumb[]) => void>(() => {});

/** Tells the shell the current page: the breadcrumbs in the header and the title of the window. */
export function usePage(breadcrumbs: Breadcrumb[]): void {
  const setCrumbs = useContext(PageContext);
  const text = JSON.stringify(breadcrumbs);
  useEffect(() => setCrumbs(JSON.parse(text) as Breadcrumb[]), [setCrumbs, text]);
}
