import { type ReactNode, Suspense } from 'react';
import { PartLoading } from './PartLoading.tsx';
import { isPanelPage } from './panel-page.ts';
import { type PanelWidth, storedWidth } from './panel-width.ts';
import classes from './SplitView.module.css';
import { useUrlState } from './use-url-state.ts';

interface SplitViewProps {
  panel?: ReactNode;
  panelWidth: PanelWidth;
  children: ReactNode;
}

/**
 * A page, optionally with a side panel to its right or with the panel in place of the page. Panels are loaded when one
 * is opened: a list does not wait for them.
 */
export function SplitView({ panel, panelWidth, children }: SplitViewProps) {
  const url = useUrlState();
  // The rows stay loaded: the panel steps through them.
  const isCovered = Boolean(panel) && isPanelPage(url);
  return (
    <div className="flex fills" style={{ position: 'relative' }}>
      <div className={`stack ${classes['page']}`} style={{ flex: 1 }} hidden={isCovered}>
        {children}
      </div>
      <Suspense fallback={<PanelPlace of={panelWidth} />}>{panel}</Suspense>
    </div>
  );
}

/** Where the panel will be, so that the page beside it does not become narrower a moment later. */
function PanelPlace({ of }: { of: PanelWidth }) {
  return (
    <div className={`rigid ${classes['place']}`} style={{ width: storedWidth(of) }}>
      <PartLoading />
    </div>
  );
}
