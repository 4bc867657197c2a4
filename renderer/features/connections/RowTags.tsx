import { useChangeTags } from '../../api/connections/change-tags.ts';
import type { ConnectionListItem } from '../../api/contract.ts';
import { useFilterValues } from '../../api/lists/use-filter-values.ts';
import { ownTags } from '../../components/connection/connection-columns.tsx';
import { TagLine } from '../../components/tag/TagLine.tsx';

/** The tags of a row, to be changed in it. */
export function RowTags({ row, isActive }: { row: ConnectionListItem; isActive: boolean }) {
  const known = useFilterValues('connections.tags', false);
  const change = useChangeTags(row);
  return (
    <TagLine
      isRow
      of={row.displayName ?? row.connectionId}
      tags={ownTags(row)}
      isActive={isActive}
      known={known}
      onChange={change.mutateAsync}
    />
  );
}
