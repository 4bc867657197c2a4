import { lazy, type ReactNode, Suspense } from 'react';

const PageSkeleton = lazy(async () => ({ default: (await import('./PageSkeleton.tsx')).PageSkeleton }));

/** Content that takes its place, but is not drawn until it is complete. */
export function Held({ isHeld, children }: { isHeld: boolean; children: ReactNode }) {
  return (
    <>
      {isHeld && (
        <div style={{ height: 0 }}>
          <Suspense fallback={null}>
            <PageSkeleton />
          </Suspense>
        </div>
      )}
      <div style={{ display: 'contents', visibility: isHeld ? 'hidden' : undefined }} aria-busy={isHeld}>
        {children}
      </div>
    </>
  );
}
