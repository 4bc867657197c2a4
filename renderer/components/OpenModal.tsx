import { Modal, type ModalProps } from '@mantine/core';
import { useEffect, useState } from 'react';
import { focusedOutsideMenus, focusIfLost } from './focus-if-lost.ts';

/**
 * A dialog that is rendered only while it is open. `Modal` alone returns the focus only when it was rendered closed
 * before, so this one remembers where the focus was.
 */
export function OpenModal(props: Omit<ModalProps, 'opened'>) {
  const [before] = useState(focusedOutsideMenus);
  useEffect(
    () => () => {
      // What opened meanwhile, another dialog for example, keeps the focus.
      focusIfLost(before);
    },
    [before],
  );
  return <Modal opened {...props} />;
}
