import type { ReactNode } from 'react';
import { PageSkeleton } from './PageSkeleton.tsx';

/** Content that takes its place, but is not drawn until it is complete. */
export function Held({ isHeld, children }: { isHeld: boolean; children: ReactNode }) {
  return (
    <>
      {isHeld && (
        <div style={{ height: 0 }}>
          <PageSkeleton />
        </div>
      )}
      <div style={{ display: 'contents', visibility: isHeld ? 'hidden' : undefined }} aria-busy={isHeld}>
        {children}
      </div>
    </>
  );
}
