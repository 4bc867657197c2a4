import { Button } from '@mantine/core';
import { HUB_SCHEMA, sqlView, type ViewGroup } from '../../api/contract.ts';

interface QueryExamplesProps {
  groups: readonly ViewGroup[] | undefined;
  onPick: (sql: string) => void;
}

/** Before the first statement: how it works, and statements to start from. */
export function QueryExamples({ groups = [], onPick }: QueryExamplesProps) {
  return (
    <div className="stack gap-12" style={{ padding: '16px var(--hp-gutter)' }}>
      <p className="soft">
        Write a statement, or choose a view. Ctrl or ⌘ and Enter runs it. The SQL is that of DuckDB, and it only reads.
      </p>
      <ul className="flex wrap gap-8" aria-label="Examples">
        {examplesOf(groups).map(({ title, sql }) => (
          <li key={title}>
            <Button variant="default" size="compact-sm" onClick={() => onPick(sql)}>
              {title}
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}

function examplesOf(groups: readonly ViewGroup[]): { title: string; sql: string }[] {
  const [first] = groups.flatMap(({ schema, views }) =>
    schema === HUB_SCHEMA ? [] : views.map(({ name }) => ({ schema, name })),
  );
  const runs = { title: 'Runs of each function', sql: RUNS };
  if (first === undefined) return [runs];
  const view = sqlView(first);
  return [
    {
      title: `${first.name} records of each connection`,
      sql: `SELECT _connection, count(*) AS records, max(_last_changed) AS last_changed\nFROM ${view}\nGROUP BY ALL\nORDER BY records DESC`,
    },
    {
      title: `What changed in ${first.name} today`,
      sql: `SELECT *\nFROM ${view}\nWHERE _last_changed >= current_date\nORDER BY _last_changed DESC\nLIMIT 100`,
    },
    runs,
  ];
}

const RUNS = `SELECT integration, function, count(*) AS runs,
  count(*) FILTER (WHERE state IN ('failed', 'timeout')) AS failed,
  round(median(duration_ms)) AS median_ms
FROM ${HUB_SCHEMA}.runs
GROUP BY ALL
ORDER BY failed DESC, runs DESC`;
