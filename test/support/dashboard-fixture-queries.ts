import type { QueryAnswerView } from '../../server/queries/dashboard-queries.contract.ts';
import { FixtureRefusal } from './dashboard-fixture-lists.ts';

const column = (name: string, type: string) => ({ name, type });

/** The views of the hub's own models, as the page Query lists them. */
export const FIXTURE_VIEWS = [
  {
    schema: 'homeport',
    views: [{ name: 'runs', columns: [column('function', 'VARCHAR'), column('duration_ms', 'BIGINT')] }],
  },
  {
    schema: 'practice',
    views: [
      {
        name: 'Issue',
        columns: [
          ...[
            column('id', 'VARCHAR'),
            column('title', 'VARCHAR'),
            column('state', 'VARCHAR'),
            column('labels', 'JSON'),
          ],
          ...[column('_connection', 'VARCHAR'), column('_last_changed', 'TIMESTAMP WITH TIME ZONE')],
        ],
      },
    ],
  },
];

/** Groups for a statement that groups, rows for one that does not. */
export function fixtureAnswer(sql: string): QueryAnswerView {
  if (!/practice/i.test(sql))
    throw new FixtureRefusal(400, 'query_failed', 'Catalog Error: Table with that name does not exist!');
  if (/group by/i.test(sql))
    return {
      columns: [column('state', 'VARCHAR'), column('issues', 'BIGINT')],
      rows: [
        { state: 'open', issues: 42 },
        { state: 'closed', issues: 17 },
        { state: 'waiting', issues: 5 },
      ],
      rowCount: 3,
      durationMs: 4,
    };
  const rows = Array.from({ length: 30 }, (_, index) => ({
    id: String(index + 1),
    title: `Issue number ${index + 1}`,
    state: index % 3 === 0 ? 'closed' : 'open',
    labels: index % 2 === 0 ? ['bug', 'ui'] : null,
  }));
  return {
    columns: [
      column('id', 'VARCHAR'),
      column('title', 'VARCHAR'),
      column('state', 'VARCHAR'),
      column('labels', 'JSON'),
    ],
    rows,
    rowCount: rows.length,
    durationMs: 3,
  };
}
