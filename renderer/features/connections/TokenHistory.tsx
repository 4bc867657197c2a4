import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { ConnectionDetail, OperationListItem } from '../../api/contract.ts';
import { connectionOperationsQueryOptions } from '../../api/logs/logs-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { Section } from '../../components/page/Section.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { paths } from '../../lib/paths.ts';
import { lookOf, OPERATION_LOOK, type StatusLook } from '../../lib/status.ts';

const SHOWN = 8;
const WORDS: Record<string, string> = {
  create_connection: 'Connected',
  refresh_token: 'Refreshed',
  post_connection: 'Step after connecting',
  connection_test: 'Checked',
};

function lookOfOperation({ operation, state }: OperationListItem): StatusLook {
  const look = lookOf(OPERATION_LOOK, state);
  const word = WORDS[operation.action] ?? operation.action.replaceAll('_', ' ');
  return { ...look, label: state === 'success' ? word : `${word}: ${look.label.toLowerCase()}` };
}

/** When credentials were issued, renewed and refused, newest first. */
export function TokenHistory({ connection }: { connection: ConnectionDetail }) {
  const env = useEnv();
  const { data } = useQuery(connectionOperationsQueryOptions(env, connection, 'auth'));
  if (!data || data.total === 0) return null;
  return (
    <Section title="Token history">
      <ol>
        {data.data.slice(0, SHOWN).map((row) => (
          <li className="row gap-12 line-below" style={{ minHeight: 32 }} key={row.id}>
            <StatusBadge look={lookOfOperation(row)} />
            <span className="grow soft small cut">{row.error?.message ?? ''}</span>
            <Link className="small rigid" to={paths.operation(env, row.id)}>
              <span className="visually-hidden">Log of {lookOfOperation(row).label}, </span>
              <RelativeTime at={row.startedAt ?? row.createdAt} />
            </Link>
          </li>
        ))}
      </ol>
    </Section>
  );
}
