import { Tooltip } from '@mantine/core';
import { Link } from 'react-router';
import type { KeyRow } from '../../api/contract.ts';
import type { Column } from '../../components/table/columns.ts';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { formatNumber } from '../../lib/format-number.ts';
import { paths } from '../../lib/paths.ts';
import { AppMark } from './AppMark.tsx';
import { allowedText, rowText } from './allowed-rows.ts';
import { accessText } from './key-access.ts';

const Count = ({ value }: { value: number }) =>
  value === 0 ? <span className="faint">0</span> : <span>{formatNumber(value)}</span>;

export const keyColumns = (env: string): Column<KeyRow>[] => [
  {
    id: 'name',
    header: 'Name',
    width: 144,
    grow: true,
    text: (row) => row.name,
    cell: (row) => (
      <span className="row">
        <AppMark {...row} />
        <span className="name cut">{row.name}</span>
      </span>
    ),
  },
  {
    id: 'scopes',
    header: 'Scopes',
    width: 110,
    text: (row) => row.scopes.join(' '),
    cell: ({ scopes }) => (
      <Tooltip label={scopes.join(', ')} multiline maw={420}>
        <span className="cut">{accessText(scopes)}</span>
      </Tooltip>
    ),
  },
  {
    id: 'connections',
    header: 'Connections',
    width: 104,
    text: (row) => allowedText(row.allowed),
    cell: ({ allowed }) =>
      allowed === null ? (
        <span className="faint">All</span>
      ) : (
        <Tooltip label={allowed.map(rowText).join(', ')} multiline maw={420}>
          <span className="cut">{allowedText(allowed)}</span>
        </Tooltip>
      ),
  },
  {
    id: 'created',
    header: 'Created',
    width: 90,
    text: (row) => row.createdAt,
    cell: (row) => <RelativeTime at={row.createdAt} />,
  },
  {
    id: 'used',
    header: 'Last used',
    width: 90,
    text: (row) => row.lastUsedAt,
    cell: (row) => <RelativeTime at={row.lastUsedAt} empty="Never" />,
  },
  {
    id: 'calls',
    header: 'Calls, 24 h',
    width: 80,
    align: 'right',
    text: (row) => row.calls,
    cell: (row) => <Count value={row.calls} />,
  },
  {
    id: 'reads',
    header: 'Credentials read',
    width: 112,
    align: 'right',
    text: (row) => row.credentialReads,
    cell: (row, isActive) =>
      row.credentialReads === 0 ? (
        <Count value={0} />
      ) : (
        <Link
          to={`${paths.apps(env, 'audit')}&actions=token_read&apps=${encodeURIComponent(row.name)}`}
          tabIndex={isActive ? 0 : -1}
        >
          <Count value={row.credentialReads} />
        </Link>
      ),
  },
  {
    id: 'process',
    header: 'Last process',
    width: 120,
    grow: true,
    text: (row) => row.process?.path ?? null,
    cell: ({ process }) =>
      process === null ? (
        <span className="faint">–</span>
      ) : (
        <Tooltip label={process.path}>
          <code className="soft cut">{process.name}</code>
        </Tooltip>
      ),
  },
];
