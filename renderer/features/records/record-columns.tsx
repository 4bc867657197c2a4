import type { ModelRow, RecordListItem } from '../../api/contract.ts';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import type { Column } from '../../components/table/columns.ts';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { alignDecimals, countDecimals } from '../../lib/format-number.ts';
import { formatMoment } from '../../lib/format-time.ts';
import { dateOf } from '../../lib/recognised-value.ts';
import { lookOf, RECORD_LOOK } from '../../lib/status.ts';

/** A date alone is short, and has no zone in which it could be shown. */
const DATE_LENGTH = '2026-11-28'.length;

interface ValueProps {
  row: RecordListItem;
  name: string;
  /** Of the column. */
  decimals: number;
}

/** A text with a date and a time, as people read it: the part that differs would be cut from the text itself. */
function momentOf(value: unknown): string | undefined {
  const iso = typeof value === 'string' && value.length > DATE_LENGTH ? dateOf(value) : undefined;
  return iso && formatMoment(iso);
}

function Value({ row, name, decimals }: ValueProps) {
  const value = row.preview[name];
  if (value === undefined || value === null) return <span className="faint">–</span>;
  const moment = momentOf(value);
  const text = moment ?? (typeof value === 'number' ? alignDecimals(value, decimals) : String(value));
  const title = moment === undefined ? undefined : String(value);
  if (row.action !== 'DELETED')
    return (
      <span className="cut" title={title}>
        {text}
      </span>
    );
  // The line ends with the text, not with the spaces that align it.
  const shown = text.trimEnd();
  return (
    <span className="cut" title={title}>
      <s>{shown}</s>
      {text.slice(shown.length)}
    </span>
  );
}

type Field = ModelRow['fields'][number];

/** Members shown at first; the menu of columns has the others. */
const SHOWN_FIELDS = 5;
/** The most members that one request may name. */
const MAX_FIELDS = 20;

/** The members of a model: from the schema of its sync, otherwise from the first row. */
export function shownFieldsOf(described: readonly Field[], sample: RecordListItem | undefined): readonly Field[] {
  if (described.length > 0)
    return [...described].sort((a, b) => Number(a.type === 'other') - Number(b.type === 'other'));
  return Object.entries(sample?.preview ?? {}).map(([name, value]) => ({
    name,
    type: typeof value === 'number' ? 'number' : typeof value === 'boolean' ? 'boolean' : 'string',
  }));
}

/** The most decimals of each member that is a number in these rows. */
export function decimalsOf(rows: readonly RecordListItem[]): Record<string, number> {
  const most: Record<string, number> = {};
  for (const { preview } of rows)
    for (const [name, value] of Object.entries(preview))
      if (typeof value === 'number') most[name] = Math.max(most[name] ?? 0, countDecimals(value));
  return most;
}

/** Id, action, time, and a column for each member; the first five are shown by default. */
export function recordColumns(
  fields: readonly Field[],
  decimals: Readonly<Record<string, number>>,
): Column<RecordListItem>[] {
  // Numbers stay beside the column before them; a text can use the space that is left.
  const wide = Math.max(
    fields.findIndex(({ type }) => type !== 'number'),
    0,
  );
  return [
    {
      id: 'id',
      header: 'ID',
      width: 136,
      sort: 'id',
      text: (row) => row.id,
      grow: fields.length === 0,
      cell: (row) => <code className="name cut">{row.action === 'DELETED' ? <s>{row.id}</s> : row.id}</code>,
    },
    ...fields.slice(0, MAX_FIELDS).map(
      ({ name, type }, index): Column<RecordListItem> => ({
        id: name,
        header: name,
        text: (row) => {
          const value = row.preview[name] ?? null;
          return typeof value === 'boolean' ? String(value) : value;
        },
        // Five of them fit beside the fixed columns in the window as it opens.
        width: type === 'number' ? 96 : 112,
        grow: index === wide,
        startsHidden: index >= SHOWN_FIELDS || type === 'other',
        ...(type === 'number' ? { align: 'right' as const } : {}),
        cell: (row) => <Value row={row} name={name} decimals={decimals[name] ?? 0} />,
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
