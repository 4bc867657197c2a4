import { Link } from 'react-router';
import type { WebhookDetail } from '../../api/contract.ts';
import { useEnv } from '../../api/use-env.ts';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { paths } from '../../lib/paths.ts';
import { lookOf, WEBHOOK_RUN_LOOK } from '../../lib/status.ts';
import classes from './WebhookPanel.module.css';

/** Runs of `onWebhook` that it caused, each with its log. */
export function HandlerRuns({ webhook: { runs } }: { webhook: WebhookDetail }) {
  const env = useEnv();
  return (
    <>
      <h2>Handler runs</h2>
      {runs.length === 0 && <p className="faint">None: no sync subscribes to this event of a connection.</p>}
      <ul className={classes['runs']}>
        {runs.map((run) => (
          <li key={run.id}>
            <code className="cut">{run.functionName}</code>
            <span className="soft cut">{run.connectionId}</span>
            <StatusBadge look={lookOf(WEBHOOK_RUN_LOOK, run.state)} />
            {run.operationId ? <Link to={paths.operation(env, run.operationId)}>Log</Link> : <span />}
          </li>
        ))}
      </ul>
    </>
  );
}
