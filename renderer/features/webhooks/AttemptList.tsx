import { Stack } from '@mantine/core';
import type { OutgoingWebhookDetail, WebhookAttempt } from '../../api/contract.ts';
import { BodyView } from '../../components/json/BodyView.tsx';
import { formatClock, formatDuration } from '../../lib/format-time.ts';
import { HeaderList } from './HeaderList.tsx';
import { Response } from './outgoing-columns.tsx';
import classes from './WebhookPanel.module.css';

/** Every request that was made, with its response; the last one is open. */
export function AttemptList({ webhook }: { webhook: OutgoingWebhookDetail }) {
  const { attempts, destinations } = webhook;
  return (
    <>
      <h2>Attempts</h2>
      {attempts.length === 0 && <p className="faint">None yet.</p>}
      {attempts.map((attempt, index) => (
        <Attempt
          key={`${attempt.destination}/${attempt.attempt}`}
          attempt={attempt}
          max={webhook.mostAttempts}
          showsUrl={destinations.length > 1}
          isOpen={index === attempts.length - 1}
        />
      ))}
      <p className="faint note pt-8">
        An address gets 20 s to answer and 2 retries, after 3 s and 6 s. 5xx responses and network errors are retried;
        4xx responses, 429 included, are not.
      </p>
    </>
  );
}

function Attempt(props: { attempt: WebhookAttempt; max: number; showsUrl: boolean; isOpen: boolean }) {
  const { attempt, max } = props;
  return (
    <details className={`line-below ${classes['attempt']}`} open={props.isOpen}>
      <summary className="grid gap-12 middle">
        <time dateTime={attempt.startedAt} className="mono soft">
          {formatClock(attempt.startedAt, Date.now())}
        </time>
        <span className="flex gap-8" style={{ minWidth: 0, whiteSpace: 'nowrap' }}>
          {attempt.attempt} of {max}
          {props.showsUrl && <code className="soft cut">{attempt.url}</code>}
        </span>
        <Response code={attempt.code} error={attempt.error} />
        <span className="numbers right">{formatDuration(attempt.durationMs)}</span>
      </summary>
      <Stack gap={8} pt={4} pb={12}>
        {attempt.problem && <p>{attempt.problem}</p>}
        {attempt.body !== null && <BodyView text={attempt.body} label="response" maxHeight={200} />}
        {attempt.isBodyCut && <p className="faint">The response is longer; its first 64 kB are kept.</p>}
        {attempt.headers && <HeaderList headers={attempt.headers} />}
      </Stack>
    </details>
  );
}
