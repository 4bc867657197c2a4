import { windowHref } from '../../renderer/lib/paths.ts';
import { NOTIFICATION_ACTIONS } from '../../server/contract/dashboard/shown-values.ts';
import type { NotificationRow } from '../../server/dashboard/dashboard-notifications.contract.ts';

/** What a button of a notification does, in addition to opening a page. */
export type NoticeAction =
  | { do: 'open' }
  | { do: 'run'; cause: string }
  | { do: 'answer'; approvalId: string; decision: 'allow-once' | 'deny' };

export interface NativeNotice {
  title: string;
  body: string;
  /** The page that a click opens. */
  path: string;
  buttons: Array<{ label: string; action: NoticeAction }>;
}

/** The native form of a row of the notification centre. Its texts are already safe for locked screens. */
export function nativeNotice({ action, link, subject, text, title }: NotificationRow): NativeNotice {
  return { title, body: text ?? '', path: windowHref(link), buttons: buttonsOf(action, subject) };
}

function buttonsOf(action: NotificationRow['action'], subject: NotificationRow['subject']): NativeNotice['buttons'] {
  if (action === 'review' && subject && 'approvalId' in subject) {
    const { approvalId } = subject;
    return [
      { label: 'Allow once', action: { do: 'answer', approvalId, decision: 'allow-once' } },
      { label: 'Deny', action: { do: 'answer', approvalId, decision: 'deny' } },
    ];
  }
  if (action === 'run' && subject && 'cause' in subject)
    return [
      { label: NOTIFICATION_ACTIONS.run, action: { do: 'run', cause: subject.cause } },
      { label: 'Show', action: { do: 'open' } },
    ];
  return [{ label: NOTIFICATION_ACTIONS[action], action: { do: 'open' } }];
}
