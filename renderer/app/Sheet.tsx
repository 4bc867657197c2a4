import { type ReactNode, useEffect, useRef } from 'react';
import { focusedOutsideMenus } from '../components/focus-if-lost.ts';
import classes from './Sheet.module.css';

/** A panel over the right side of any screen; it takes the focus and returns it when it closes, to its opener if that is known. */
export function Sheet({ opener, children }: { opener?: HTMLElement | null; children: ReactNode }) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const before = opener ?? focusedOutsideMenus();
    host.current?.focus();
    return () => before?.focus();
  }, [opener]);
  return (
    <div ref={host} className={`flex ${classes['sheet']}`} tabIndex={-1}>
      {children}
    </div>
  );
}
