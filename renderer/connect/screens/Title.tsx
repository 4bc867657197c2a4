import type { ReactNode } from 'react';
import { TITLE_ID } from './Dialog.tsx';
import classes from './screen.module.css';

/** Names the dialog; gets the focus when no control should have it. */
export function Title({ children, lead }: { children: ReactNode; lead?: ReactNode }) {
  return (
    <>
      <h1 id={TITLE_ID} tabIndex={-1} className={`strong breaks ${classes['title']}`}>
        {children}
      </h1>
      {lead !== undefined && <p className={`soft breaks ${classes['lead']}`}>{lead}</p>}
    </>
  );
}
