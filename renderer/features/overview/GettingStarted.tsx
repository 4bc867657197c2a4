import { Button, CloseButton } from '@mantine/core';
import { IconCircle, IconCircleCheckFilled } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import { connectionCountQueryOptions } from '../../api/attention-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { changeFirstRun, type FirstRunStep, readFirstRun } from '../../lib/first-run.ts';
import { paths } from '../../lib/paths.ts';
import classes from './GettingStarted.module.css';

const TASKS: ReadonlyArray<readonly [FirstRunStep, string, string]> = [
  ['connect', 'Connect an account', 'The practice provider works offline and needs no account.'],
  ['call', 'Make a call', 'Through Homeport, which adds the credentials.'],
  ['sync', 'Run a sync', 'Its records are stored here.'],
  ['finish', 'See what comes next', 'Your functions, apps, agents and your own provider.'],
];

/** The checklist of the first run, until it is complete or dismissed; then `otherwise` is shown. */
export function GettingStarted({ otherwise }: { otherwise: ReactNode }) {
  const env = useEnv();
  const [firstRun, setFirstRun] = useState(() => readFirstRun(env));
  const connections = useQuery(connectionCountQueryOptions(env, {})).data?.total;
  if (connections === undefined) return null;
  const done = new Set(firstRun?.done);
  if (connections > 0) done.add('connect');
  const isWhole = TASKS.every(([step]) => done.has(step));
  // A hub that is already in use and whose first run was never opened needs no checklist.
  const isWanted = firstRun ? !firstRun.isDismissed && !isWhole : connections === 0;
  if (!isWanted) return otherwise;
  const count = TASKS.filter(([step]) => done.has(step)).length;
  const next = TASKS.find(([step]) => !done.has(step))?.[0] ?? 'finish';
  return (
    <section className={`card ${classes['card']}`} aria-label="Getting started">
      <header>
        <h2>Getting started</h2>
        <span className={classes['count']}>
          {count} of {TASKS.length} done
        </span>
        <Button size="xs" component={Link} to={`${paths.gettingStarted(env)}${firstRun ? `?step=${next}` : ''}`}>
          {firstRun ? 'Continue' : 'Start'}
        </Button>
        <CloseButton
          size={24}
          aria-label="Hide the checklist"
          onClick={() => setFirstRun(changeFirstRun(env, { isDismissed: true, isOpen: false }))}
        />
      </header>
      <ol>
        {TASKS.map(([step, title, text]) => (
          <li key={step} data-done={done.has(step) || undefined}>
            {done.has(step) ? <IconCircleCheckFilled size={16} aria-hidden /> : <IconCircle size={16} aria-hidden />}
            <div>
              <Link to={`${paths.gettingStarted(env)}?step=${step}`}>{title}</Link>
              {done.has(step) && <span className="visually-hidden">, done</span>}
              <p>{text}</p>
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}
