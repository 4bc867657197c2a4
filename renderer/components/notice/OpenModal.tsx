import { Modal, type ModalProps } from '@mantine/core';
import { type FormEvent, useEffect, useState } from 'react';
import { focusedOutsideMenus, focusIfLost } from '../focus-if-lost.ts';
import { DiscardQuestion } from '../form/DiscardQuestion.tsx';
import { useUnsaved } from '../form/unsaved-context.ts';

/**
 * A dialog that is rendered only while it is open. `Modal` alone returns the focus only when it was rendered closed
 * before, so this one remembers where the focus was.
 */
export function OpenModal(props: Omit<AskingModalProps, 'opened'>) {
  const [before] = useState(focusedOutsideMenus);
  useEffect(
    () => () => {
      // What opened meanwhile, another dialog for example, keeps the focus.
      focusIfLost(before);
    },
    [before],
  );
  return <AskingModal opened {...props} />;
}

/** Whether an event of typing changes the content of a form, and not only what a list is searched for. */
function isContent({ target }: FormEvent): boolean {
  if (!(target instanceof HTMLElement) || target.role === 'combobox') return false;
  // A switch takes effect at once or is set again with one click.
  return !['search', 'checkbox', 'radio'].includes(target.getAttribute('type') ?? '');
}

interface AskingModalProps extends ModalProps {
  /** What was typed is stored; the dialog shows what came of it. */
  isSaved?: boolean;
}

/** A dialog which Esc and a click beside it close only after a question, once something was typed in it. Its own Cancel does not ask. */
export function AskingModal({ opened, onClose, title, isSaved = false, children, ...props }: AskingModalProps) {
  const [hasTyped, setTyped] = useState(false);
  const isTyped = hasTyped && !isSaved;
  const [isAsking, setAsking] = useState(false);
  if (!opened && (hasTyped || isAsking)) {
    setTyped(false);
    setAsking(false);
  }
  useUnsaved(typeof title === 'string' ? title : 'the dialog', isTyped);
  return (
    <>
      <Modal
        {...props}
        opened={opened}
        title={title}
        closeOnEscape={!isAsking && props.closeOnEscape !== false}
        // After the key press: the question must not be open while its own listener hears the same one.
        onClose={() => (isTyped ? void setTimeout(() => setAsking(true)) : onClose())}
      >
        <div onInput={(event) => isContent(event) && setTyped(true)}>{children}</div>
      </Modal>
      <DiscardQuestion
        isOpen={isAsking}
        title="Discard what you typed?"
        text={`What you typed in “${typeof title === 'string' ? title : 'this dialog'}” is not saved.`}
        stay="Keep editing"
        onStay={() => setAsking(false)}
        onDiscard={onClose}
      />
    </>
  );
}
