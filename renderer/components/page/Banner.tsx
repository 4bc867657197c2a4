import { IconAlertCircleFilled, IconAlertTriangleFilled } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './Banner.module.css';

/** A sentence about something that needs attention, with the action beside it. */
export function Banner({
  tone,
  actions,
  children,
}: {
  tone: 'bad' | 'warn';
  actions?: ReactNode;
  children: ReactNode;
}) {
  const Icon = tone === 'bad' ? IconAlertCircleFilled : IconAlertTriangleFilled;
  return (
    <div className={`row wrap rigid ${classes['banner']}`} data-tone={tone}>
      <Icon size={16} className="rigid" aria-hidden />
      <p>{children}</p>
      {actions}
    </div>
  );
}
