import type { TakeBack } from '../../lib/take-back.ts';
import { notifyDone } from './notify.ts';

/** Says that something was deleted or, while that can be undone, that it is being deleted. */
export function notifyDeleted(name: string, takeBack: TakeBack | undefined): void {
  notifyUndoable(`${name} ${takeBack ? 'is being deleted' : 'deleted'}`, takeBack);
}

/** Says what was done and, if there is a way back, offers Undo for ten seconds. */
export function notifyUndoable(message: string, takeBack: TakeBack | undefined): void {
  if (!takeBack) return notifyDone(message);
  import('./UndoNotice.tsx').then(
    ({ showUndo }) => showUndo({ message, ...takeBack }),
    () => notifyDone(message),
  );
}
