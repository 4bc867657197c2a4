import { EmptyState } from '../../components/page/EmptyState.tsx';
import { PageHeader } from '../../components/page/PageHeader.tsx';
import { usePage } from '../../components/page/page-context.ts';

/** Where synced records go on their own. */
export function DestinationsPage() {
  usePage([{ label: 'Destinations' }]);
  return (
    <>
      <PageHeader title="Destinations" sub="Where synced records go on their own" />
      <EmptyState
        title="No destinations"
        text="A destination gets every change of synced records: a PostgreSQL database, a folder of files, or an address of your own."
      />
    </>
  );
}
