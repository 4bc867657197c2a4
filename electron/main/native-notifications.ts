import { app, Notification } from 'electron';
import { type NativeNotice, type NoticeAction, nativeNotice } from '../rules/native-notices.ts';
import type { HubLink } from '../server-process/hub-link.ts';
import type { AppWindows } from './app-windows.ts';

interface NotificationParts {
  hub: HubLink;
  windows: AppWindows;
}

/** A notification on the screen. `at` is its last time. */
interface Shown {
  at: string;
  notification: Notification;
}

/** Shows native notifications while no window of the app is in front, and removes those that were read or are over. */
export function setupNotifications({ hub, windows }: NotificationParts): void {
  const shown = new Map<number, Shown>();
  const remove = (id: number): void => {
    shown.get(id)?.notification.close();
    shown.delete(id);
  };
  hub.on('notification', (env, { isNative, hasSound, notification: row }) => {
    if (row.isRead || row.isOver) return remove(row.id);
    // Notifications about the whole hub arrive with the events of every environment, so each is shown once.
    if (!isNative || windows.isInFront || !Notification.isSupported() || shown.get(row.id)?.at === row.at) return;
    remove(row.id);
    const notice = nativeNotice(row);
    const follow = (action: NoticeAction): void => {
      void answer(action, { env, id: row.id, notice }, { hub, windows });
    };
    const notification = new Notification({
      title: notice.title,
      body: notice.body,
      silent: !hasSound,
      actions: notice.buttons.map(({ label }) => ({ type: 'button', text: label })),
    });
    notification.on('click', () => follow({ do: 'open' }));
    notification.on('action', (_event, index) => {
      const button = notice.buttons[index];
      if (button) follow(button.action);
    });
    notification.on('close', () => {
      if (shown.get(row.id)?.notification === notification) shown.delete(row.id);
    });
    shown.set(row.id, { at: row.at, notification });
    notification.show();
  });
  app.on('will-quit', () => [...shown.keys()].forEach(remove));
}

/** When the hub refuses the answer, the notification's page is opened and shows why. */
async function answer(
  action: NoticeAction,
  { env, id, notice }: { env: string; id: number; notice: NativeNotice },
  { hub, windows }: NotificationParts,
): Promise<void> {
  try {
    if (action.do === 'open') windows.goTo(notice.path);
    else if (action.do === 'answer') {
      const { approvalId, decision } = action;
      await hub.call('POST /api/v1/mcp/approvals/:approvalId', {
        params: { approvalId },
        query: { env },
        body: { decision },
      });
    } else {
      const body = { cause: action.cause, command: 'run' };
      await hub.call('POST /api/v1/overview/causes', { query: { env }, body });
    }
    await hub.call('POST /api/v1/notifications/read', { query: { env }, body: { ids: [id] } });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    windows.goTo(notice.path);
  }
}
