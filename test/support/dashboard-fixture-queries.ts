import type { QueryAnswerView, ShownQuery } from '../../server/queries/dashboard-queries.contract.ts';
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

const saved: ShownQuery[] = [
  {
    id: 'q1',
    name: 'Issues by state',
    sql: 'SELECT state, count(*) AS issues\nFROM practice.Issue\nGROUP BY state',
    params: {},
    createdAt: '2026-06-01T09:00:00.000Z',
    updatedAt: '2026-06-01T09:00:00.000Z',
  },
];

/** Saved queries of the page Query, kept until the fixture ends. */
export const savedQueryHandlers = {
  'GET /api/v1/saved-queries': () => ({ data: saved }),
  'POST /api/v1/saved-queries': ({ body }: { body: Pick<ShownQuery, 'name' | 'sql' | 'params'> }) => {
    const [first] = saved;
    if (!first) throw new Error('The fixture has a saved query.');
    const made = { ...first, ...body, id: `q${saved.length + 1}` };
    saved.push(made);
    return made;
  },
  'PATCH /api/v1/saved-queries/:queryId': ({
    body,
    params,
  }: {
    body: { name?: string | undefined; sql?: string | undefined };
    params: { queryId: string };
  }) => {
    const one = saved.find(({ id }) => id === params.queryId);
    if (!one) throw new FixtureRefusal(404, 'not_found', 'There is no such saved query.');
    return Object.assign(one, body);
  },
  'DELETE /api/v1/saved-queries/:queryId': ({ params }: { params: { queryId: string } }) => {
    saved.splice(
      saved.findIndex(({ id }) => id === params.queryId),
      1,
    );
    return { success: true as const };
  },
};
