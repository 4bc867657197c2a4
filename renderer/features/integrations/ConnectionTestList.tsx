import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { type ShownConnectionTest, useConnectionTests } from '../../api/connections/use-connection-tests.ts';
import type { IntegrationDetail } from '../../api/contract.ts';
import { useEnv } from '../../api/use-env.ts';
import { useOperationLink } from '../../components/function/use-operation-link.ts';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { formatCount, formatNumber } from '../../lib/format-number.ts';
import { paths } from '../../lib/paths.ts';
import { CREDENTIAL_TEST_LOOK, lookOf } from '../../lib/status.ts';
import classes from './ConnectionTestList.module.css';

/** Number of rows shown before "Show all". */
const SHOWN_FIRST = 20;

/** Results that need attention come first. */
const ORDER: ReadonlyArray<ShownConnectionTest['outcome']> = ['refused', 'not_tested', 'no_test', 'accepted'];

/** Tests the credentials of each connection at the provider and shows the results. */
export function ConnectionTestList({ integration }: { integration: IntegrationDetail }) {
  const { connectionCount } = integration;
  const { course, start, stop } = useConnectionTests(integration.key);
  const isRunning = course?.isRunning ?? false;
  const { tested = [], total = connectionCount, problem } = course ?? {};
  const isStopped = course !== undefined && !isRunning && !problem && tested.length < total;
  return (
    <section className="line-above" style={{ paddingTop: 16 }} aria-label="Test the connections">
      <p className="soft">
        {connectionCount === 0
          ? 'There is no connection yet.'
          : 'Asks the provider whether the credentials of each connection work, and marks those that it refuses.'}
      </p>
      {isRunning && (
        <progress className={`full ${classes['progress']}`} value={tested.length} max={total} aria-label="Testing" />
      )}
      <Group gap={12} mt={8}>
        {/* One button: it keeps the focus when the test begins and ends. */}
        <Button variant="default" disabled={connectionCount === 0} onClick={() => (isRunning ? stop() : void start())}>
          {isRunning ? 'Stop' : course ? 'Test again' : 'Test connections'}
        </Button>
        {isRunning && (
          <span className="soft">
            {formatNumber(tested.length)} of {formatNumber(total)}
          </span>
        )}
      </Group>
      {problem && <ErrorPanel error={problem} onRetry={() => void start()} />}
      <p style={{ margin: '8px 0 0' }} role="status">
        {!isRunning && tested.length > 0 && summaryOf(tested)}
        {isStopped && ` Stopped: ${formatCount(total - tested.length, 'connection')} not tested.`}
      </p>
      {tested.length > 0 && <ResultList integrationKey={integration.key} tested={tested} />}
    </section>
  );
}

function ResultList({ integrationKey, tested }: { integrationKey: string; tested: readonly ShownConnectionTest[] }) {
  const env = useEnv();
  const operationLink = useOperationLink();
  const [isWhole, setWhole] = useState(false);
  const sorted = [...tested].sort((a, b) => ORDER.indexOf(a.outcome) - ORDER.indexOf(b.outcome));
  return (
    <>
      <ul className={classes['list']} style={{ margin: '8px 0 0' }} aria-label="Tested connections">
        {sorted.slice(0, isWhole ? undefined : SHOWN_FIRST).map(({ connectionId, displayName, ...result }) => (
          <li className="grid line-below middle" key={connectionId}>
            <Link className="cut" to={paths.connection(env, { integrationKey, connectionId })}>
              {displayName ?? connectionId}
            </Link>
            <StatusBadge look={lookOf(CREDENTIAL_TEST_LOOK, result.outcome)} />
            {result.operationId === null ? (
              <span />
            ) : (
              <Link
                to={operationLink(result.operationId)}
                aria-label={`Log of the test of ${displayName ?? connectionId}`}
              >
                Log
              </Link>
            )}
            {result.message !== null && (
              <p className="soft note breaks" style={{ gridColumn: '1 / -1' }}>
                {result.message}
              </p>
            )}
          </li>
        ))}
      </ul>
      {sorted.length > SHOWN_FIRST && !isWhole && (
        <Button variant="subtle" ml={-12} onClick={() => setWhole(true)}>
          Show all {formatNumber(sorted.length)}
        </Button>
      )}
    </>
  );
}

/** "38 work, 2 are refused, 1 has no test." */
function summaryOf(tested: readonly ShownConnectionTest[]): string {
  const count = (outcome: ShownConnectionTest['outcome']): number =>
    tested.filter((one) => one.outcome === outcome).length;
  const parts: [count: number, one: string, many: string][] = [
    [count('accepted'), 'works', 'work'],
    [count('refused'), 'is refused', 'are refused'],
    [count('not_tested'), 'could not be tested', 'could not be tested'],
    [count('no_test'), 'has no test at this provider', 'have no test at this provider'],
  ];
  const texts = parts
    .filter(([found]) => found > 0)
    .map(([found, one, many]) => `${formatNumber(found)} ${found === 1 ? one : many}`);
  return `${texts.join(', ')}.`;
}
