import { type ReactNode, Suspense } from 'react';
import { PartLoading } from './PartLoading.tsx';
import { isPanelPage } from './panel-page.ts';
import classes from './SplitView.module.css';
import { useUrlState } from './use-url-state.ts';

/**
 * A page with, perhaps, a side panel to its right, or a panel that is the page for now. Panels are loaded when one is opened: a list does
 * not wait for them.
 */
export function SplitView({ panel, children }: { panel?: ReactNode; children: ReactNode }) {
  const url = useUrlState();
  // Its rows stay loaded: the panel goes from one to the next.
  const isCovered = Boolean(panel) && isPanelPage(url);
  return (
    <div className={classes['split']}>
      <div className={classes['page']} hidden={isCovered}>
        {children}
      </div>
      <Suspense fallback={<PartLoading />}>{panel}</Suspense>
    </div>
  );
}
