import { useQuery } from '@tanstack/react-query';
import { Navigate, useSearchParams } from 'react-router';
import { metaQuery } from '../api/hub/hub-queries.ts';
import { paths } from '../lib/paths.ts';
import { readStored } from '../lib/stored.ts';

/** To the environment and screen that were open last; `?open=callback`, from a failed sign-in, to what explains it. */
export function HomeRedirect() {
  const { data } = useQuery(metaQuery());
  const [query] = useSearchParams();
  const last = readStored('lastPlace', { env: '', screen: 'connections' });
  const known = data?.environments.find((one) => one.name === last.env) ?? data?.environments[0];
  const env = known?.name ?? 'dev';
  if (query.get('open') === 'callback') {
    const pasted = new URLSearchParams({ pasted: query.get('pasted') ?? '' });
    return <Navigate to={`${paths.callback(env)}?${pasted}`} replace />;
  }
  return <Navigate to={`/${env}/${last.screen}`} replace />;
}
