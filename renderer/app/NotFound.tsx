import { useEnv } from '../api/use-env.ts';
import { NotFoundPage } from '../components/page/NotFoundPage.tsx';
import { usePage } from '../components/page/page-context.ts';
import { paths } from '../lib/paths.ts';

/** The page of an address that no screen has. */
export function NotFound() {
  const env = useEnv();
  usePage([{ label: 'Not found' }]);
  return (
    <NotFoundPage message="There is no page at this address" to={paths.overview(env)} toLabel="Go to the overview" />
  );
}
