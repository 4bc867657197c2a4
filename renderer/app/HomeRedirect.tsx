import { useQuery } from '@tanstack/react-query';
import { Navigate, useLocation, useSearchParams } from 'react-router';
import { connectionCountQueryOptions } from '../api/attention-queries.ts';
import { metaQueryOptions } from '../api/hub/hub-queries.ts';
import { integrationChoicesQueryOptions } from '../api/integrations/integrations-queries.ts';
import { readFirstRun } from '../lib/first-run.ts';
import { paths } from '../lib/paths.ts';
import { readStored } from '../lib/stored.ts';

/**
 * To the environment and screen that were open last, or to the first run of a new hub; with `?open=callback`, which
 * a failed authorization links to, to the page about callback addresses.
 */
export function HomeRedirect({ screen: wanted }: { screen: string | undefined }) {
  const { data } = useQuery(metaQueryOptions());
  const [query] = useSearchParams();
  const { search, hash } = useLocation();
  const last = readStored('lastPlace', { env: '', screen: '' });
  const known = data?.environments.find((one) => one.name === last.env) ?? data?.environments[0];
  const env = known?.name ?? 'dev';
  const opensFirstRun = useOpensFirstRun(env);
  if (query.get('open') === 'callback') {
    const pasted = new URLSearchParams({ pasted: query.get('pasted') ?? '' });
    return <Navigate to={`${paths.callback(env)}?${pasted}`} replace />;
  }
  if (wanted) return <Navigate to={{ pathname: `/${env}/${wanted}`, search, hash }} replace />;
  if (opensFirstRun === undefined) return null;
  if (opensFirstRun) return <Navigate to={env === 'dev' ? '/welcome' : paths.gettingStarted(env)} replace />;
  return <Navigate to={`/${env}/${last.screen}`} replace />;
}

/**
 * Whether the window opens on the first run: it was started and not left, or it was never opened and the hub has no
 * connection and no integration except the practice provider's. Undefined until that is known.
 */
function useOpensFirstRun(env: string): boolean | undefined {
  const known = readFirstRun(env);
  const enabled = known === undefined;
  const integrations = useQuery({ ...integrationChoicesQueryOptions(env), enabled });
  const connections = useQuery({ ...connectionCountQueryOptions(env, {}), enabled });
  if (known) return known.isOpen;
  if (integrations.isError || connections.isError) return false;
  if (!integrations.data || !connections.data) return undefined;
  const isOnlyPractice = integrations.data.every(({ provider }) => provider.startsWith('practice'));
  return isOnlyPractice && connections.data.total === 0;
}
