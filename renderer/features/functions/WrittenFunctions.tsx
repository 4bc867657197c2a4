import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { functionQueryOptions } from '../../api/functions/functions-queries.ts';
import type { WrittenDescribed } from '../../api/functions/openapi-functions.ts';
import { useEnv } from '../../api/use-env.ts';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { useShell } from '../../components/shell-context.ts';
import { Tag } from '../../components/tag/Tag.tsx';
import { formatCount } from '../../lib/format-number.ts';
import { paths } from '../../lib/paths.ts';
import { FUNCTION_LOOK, lookOf, TEST_LOOK } from '../../lib/status.ts';
import { DescribedNotes } from './DescribedNotes.tsx';

/** Functions that were just written: whether they compile, and what their recorded runs said. */
export function WrittenFunctions({
  functions,
  integrationKey,
  onMore,
  types,
}: {
  functions: WrittenDescribed[];
  integrationKey: string;
  types: string | null;
  onMore: () => void;
}) {
  return (
    <section className="stack gap-12" aria-label="Written functions">
      <h2>{formatCount(functions.length, 'function', 'functions')} in your functions folder</h2>
      <p className="soft">
        Syncs do not start by themselves. Try each on a connection first: a dry run in the playground stores nothing.
      </p>
      <ul className="line-above">
        {functions.map((one) => (
          <WrittenRow key={one.file} integrationKey={integrationKey} one={one} />
        ))}
        {types !== null && (
          <li className="line-below" style={{ padding: '12px 8px' }}>
            <code className="breaks">{types}</code>
          </li>
        )}
      </ul>
      <Group gap={8}>
        <Button variant="default" onClick={onMore}>
          Choose more operations
        </Button>
      </Group>
    </section>
  );
}

function WrittenRow({ integrationKey, one }: { integrationKey: string; one: WrittenDescribed }) {
  const env = useEnv();
  const { openPlayground } = useShell();
  const ref = { integrationKey, type: one.type, name: one.name };
  // The check of its types ends later, and an event brings the result.
  const { data } = useQuery(functionQueryOptions(env, ref));
  return (
    <li className="line-below stack gap-4" style={{ padding: '12px 8px' }}>
      <div className="row wrap gap-12">
        <Link className="name" to={paths.function(env, ref)}>
          {one.name}
        </Link>
        <Tag>{one.type}</Tag>
        {data && <StatusBadge look={lookOf(FUNCTION_LOOK, data.status)} />}
        {one.outcome !== null && (
          <span className="row gap-4">
            <span className="faint">Recorded run</span>
            <StatusBadge look={lookOf(TEST_LOOK, one.outcome)} />
          </span>
        )}
        <Button
          className="at-end"
          size="xs"
          variant="default"
          aria-label={`Open ${one.name} in the playground`}
          onClick={() => openPlayground({ kind: one.type, integrationKey, name: one.name })}
        >
          Playground
        </Button>
      </div>
      <code className="faint breaks">{one.file}</code>
      {data?.problem && <p className="warn breaks">{data.problem.message}</p>}
      <DescribedNotes notes={one.notes} />
    </li>
  );
}
