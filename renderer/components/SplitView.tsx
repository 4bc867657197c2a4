import { type ReactNode, Suspense } from 'react';
import { PartLoading } from './PartLoading.tsx';
import { isPanelPage } from './panel-page.ts';
import classes from './SplitView.module.css';
import { useUrlState } from './use-url-state.ts';

/**
 * A page, optionally with a side panel to its right or with the panel in place of the page. Panels are loaded when one
 * is opened: a list does not wait for them.
 */
export function SplitView({ panel, children }: { panel?: ReactNode; children: ReactNode }) {
  const url = useUrlState();
  // The rows stay loaded: the panel steps through them.
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
