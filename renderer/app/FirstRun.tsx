import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { Navigate, useLocation, useParams } from 'react-router';
import { EventsProvider } from '../api/events/EventsProvider.tsx';
import { metaQueryOptions } from '../api/hub/hub-queries.ts';
import { useEnv } from '../api/use-env.ts';
import { ProductMark } from '../components/ProductMark.tsx';
import { PanelBoundary } from '../components/page/PanelBoundary.tsx';
import { PartLoading } from '../components/page/PartLoading.tsx';
import { paths } from '../lib/paths.ts';
import { DropTarget } from './DropTarget.tsx';
import classes from './FirstRun.module.css';
import { StatusBar } from './StatusBar.tsx';

const Welcome = lazy(async () => ({ default: (await import('../features/welcome/Welcome.tsx')).Welcome }));

/** The first run over the whole window: at `/welcome` for the first environment, otherwise for the one in the address. */
export function FirstRun() {
  const env = useEnv();
  const { env: named } = useParams();
  const { search } = useLocation();
  const { data: meta } = useQuery(metaQueryOptions());
  if (!meta) return null;
  const shown = meta.environments.find((one) => one.name === env);
  const [first] = meta.environments;
  // `/welcome` names no environment: use `dev`, or the first one when there is no `dev`.
  if (named === undefined && !shown && first)
    return <Navigate to={`${paths.gettingStarted(first.name)}${search}`} replace />;
  return (
    <EventsProvider env={env}>
      <div className={`grid ${classes['frame']}`}>
        <div style={{ gridArea: 'bar', background: `var(--hp-env-${shown?.colour ?? 'petrol'})` }} />
        <PanelBoundary resetKey={env}>
          <Suspense fallback={<PartLoading />}>
            <Welcome key={env} mark={<ProductMark size={32} />} status={<StatusBar />} />
            <DropTarget env={env} />
          </Suspense>
        </PanelBoundary>
      </div>
    </EventsProvider>
  );
}
