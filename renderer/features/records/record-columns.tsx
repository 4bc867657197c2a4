import type { RecordListItem } from '../../api/contract.ts';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import type { Column } from '../../components/table/columns.ts';
import { formatNumber } from '../../lib/format-number.ts';
import { lookOf, RECORD_LOOK } from '../../lib/status.ts';

function Value({ row, name }: { row: RecordListItem; name: string }) {
  const value = row.preview[name];
  if (value === undefined || value === null) return <span className="faint">–</span>;
  const text = typeof value === 'number' ? formatNumber(value) : String(value);
  return row.action === 'DELETED' ? <s className="cut">{text}</s> : <span className="cut">{text}</span>;
}

/** Id, action, time, and a column for each previewed member of the first row. */
export function recordColumns(sample: RecordListItem | undefined): Column<RecordListItem>[] {
  const names = Object.entries(sample?.preview ?? {});
  return [
    {
      id: 'id',
      header: 'ID',
      width: 136,
      sort: 'id',
      text: (row) => row.id,
      grow: names.length === 0,
      cell: (row) => <code className="name cut">{row.action === 'DELETED' ? <s>{row.id}</s> : row.id}</code>,
    },
    ...names.map(
      ([name, value], index): Column<RecordListItem> => ({
        id: name,
        header: name,
        text: (row) => {
          const value = row.preview[name] ?? null;
          return typeof value === 'boolean' ? String(value) : value;
        },
        width: typeof value === 'number' ? 96 : 140,
        grow: index === 0,
        ...(typeof value === 'number' ? { align: 'right' as const } : {}),
        cell: (row) => <Value row={row} name={name} />,
      }),
    ),
    {
      id: 'action',
      header: 'Action',
      width: 92,
      sort: 'action',
      text: (row) => row.action,
      filter: (row) => ['action', row.action],
      cell: (row) => <StatusBadge look={lookOf(RECORD_LOOK, row.action)} />,
    },
    {
      id: 'modified',
      header: 'Modified',
      width: 76,
      align: 'right',
      sort: 'modified',
      text: (row) => row.modifiedAt,
      cell: (row) => <RelativeTime at={row.modifiedAt} bare />,
    },
  ];
}
