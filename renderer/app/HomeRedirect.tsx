import { Navigate } from 'react-router';
import { useMeta } from '../api/use-meta.ts';
import { readStored } from '../lib/stored.ts';

/** To the environment and screen that were open last. */
export function HomeRedirect() {
  const { data } = useMeta();
  const last = readStored('lastPlace', { env: '', screen: 'connections' });
  const known = data?.environments.find((one) => one.name === last.env) ?? data?.environments[0];
  return <Navigate to={`/${known?.name ?? 'dev'}/${last.screen}`} replace />;
}
