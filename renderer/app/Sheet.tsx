import { type ReactNode, useEffect, useRef } from 'react';
import classes from './Sheet.module.css';

/** A panel over the right side of any screen; it takes the focus and returns it when it closes. */
export function Sheet({ children }: { children: ReactNode }) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    host.current?.focus();
    return () => {
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  return (
    <div ref={host} className={classes['sheet']} tabIndex={-1}>
      {children}
    </div>
  );
}
