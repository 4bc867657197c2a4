import { Button, Kbd } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useEffect, useState } from 'react';
import { KEY_MAP } from '../../lib/key-map.ts';
import { keyNames } from '../../lib/key-names.ts';
import type { TakeBack } from '../../lib/take-back.ts';
import { useCommands } from '../use-commands.ts';
import { notifyDone, notifyError } from './notify.ts';

export interface UndoOffer extends TakeBack {
  /** What was done, as a sentence without an end mark. */
  message: string;
}

/** A person can undo for this long; the notice stays while it is hovered or has the focus. */
const SHOWN_MS = 10_000;
/** An act that waits is told this often that the notice is still there; the hub waits for three times as long. */
const KEEP_MS = 4000;

export function showUndo(offer: UndoOffer): void {
  let isUndone = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let cameFrom: EventTarget | null = null;
  const uses = new Set<'pointer' | 'focus'>();
  const use = (by: 'pointer' | 'focus', isOn: boolean): void => {
    if (isOn) uses.add(by);
    else uses.delete(by);
    clearTimeout(timer);
    if (uses.size === 0) timer = setTimeout(() => notifications.hide(id), SHOWN_MS);
  };
  const onUndo = (): void => {
    isUndone = true;
    notifications.hide(id);
  };
  const id = notifications.show({
    color: 'petrol',
    role: 'status',
    // Its own timer also waits while the notice has the focus.
    autoClose: false,
    message: <UndoNotice offer={offer} onUndo={onUndo} />,
    onMouseEnter: () => use('pointer', true),
    onMouseLeave: () => use('pointer', false),
    onFocus: (event) => {
      const { currentTarget, relatedTarget } = event;
      if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) cameFrom = relatedTarget;
      use('focus', true);
    },
    onBlur: () => use('focus', false),
    onClose: () => {
      clearTimeout(timer);
      if (uses.has('focus') && cameFrom instanceof HTMLElement) cameFrom.focus({ preventScroll: true });
      if (!isUndone) offer.end?.().catch(notifyError);
    },
  });
  use('pointer', false);
}

function UndoNotice({ offer, onUndo }: { offer: UndoOffer; onUndo: () => void }) {
  const [isBusy, setBusy] = useState(false);
  const { keep } = offer;
  useEffect(() => {
    if (!keep) return undefined;
    // A failure shows when the person undoes: the hub then says that it is too late.
    const timer = setInterval(() => void keep().catch(() => undefined), KEEP_MS);
    return () => clearInterval(timer);
  }, [keep]);
  const undo = async (): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    try {
      const sentence = await offer.undo();
      onUndo();
      notifyDone(sentence);
    } catch (error) {
      onUndo();
      notifyError(error);
    }
  };
  useCommands([{ ...KEY_MAP.undo, run: () => void undo() }]);
  return (
    <div className="row gap-12 between">
      <span className="grow breaks">{offer.message}</span>
      <Button size="xs" variant="subtle" loading={isBusy} aria-keyshortcuts="Control+Z" onClick={() => void undo()}>
        Undo
        <Kbd ml={8} aria-hidden>
          {keyNames(KEY_MAP.undo.keys[0]).join(' ')}
        </Kbd>
      </Button>
    </div>
  );
}
