import type { CSSProperties } from 'react';
import type { MessageListItem, OperationDetailResponse } from '../../api/contract.ts';
import { formatNumber } from '../../lib/format-number.ts';
import { formatDuration } from '../../lib/format-time.ts';
import classes from './OperationTimeline.module.css';
import { type TimelineStep, timelineOf } from './operation-report.ts';

/** The most bars; the tab of requests has all. */
const MAX_STEPS = 40;

interface OperationTimelineProps {
  operation: OperationDetailResponse;
  messages: readonly MessageListItem[];
  /** The number of messages; those that were not loaded are missing in the timeline. */
  total: number;
}

/** Requests, saves and waits as bars over the time of the operation; waits are hatched. */
export function OperationTimeline({ operation, messages, total }: OperationTimelineProps) {
  const { steps, totalMs } = timelineOf(operation, messages);
  if (steps.length === 0) return null;
  const shown = steps.slice(0, MAX_STEPS);
  const hidden = steps.length - shown.length + total - messages.length;
  return (
    <section className="rigid line-below" style={{ padding: '12px var(--hp-gutter)' }} aria-label="Timeline">
      <header className="row gap-0 between" style={{ paddingBottom: 6 }}>
        <h2>Timeline</h2>
        <span className={`row gap-6 soft small ${classes['legend']}`}>
          <i data-kind="wait" aria-hidden />
          Waiting
        </span>
      </header>
      <ol>
        {shown.map((step) => (
          <Step key={step.key} step={step} totalMs={totalMs} />
        ))}
      </ol>
      {hidden > 0 && <p className="faint small pt-4">{formatNumber(hidden)} more, not drawn</p>}
    </section>
  );
}

function Step({ step, totalMs }: { step: TimelineStep; totalMs: number }) {
  const style = {
    '--from': `${(step.fromMs / totalMs) * 100}%`,
    '--span': `${(step.durationMs / totalMs) * 100}%`,
  } as CSSProperties;
  return (
    <li className={`grid gap-8 small middle ${classes['step']}`}>
      <code className={`faint ${classes['word']}`} data-kind={step.kind}>
        {step.word}
      </code>
      <code className="cut" title={step.label}>
        {step.label}
      </code>
      <code className={`right ${step.isFailure ? 'bad' : 'soft'}`}>
        {step.kind === 'request' ? (step.code ?? 'none') : ''}
      </code>
      <span className={`line-below ${classes['track']}`} style={{ position: 'relative', height: 10 }} aria-hidden>
        <i data-kind={step.isFailure ? 'failed' : step.kind} style={style} />
      </span>
      <span className="soft numbers right">{formatDuration(step.durationMs)}</span>
    </li>
  );
}
