import { type ReactNode, useEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { type ConnectedAccount, ConnectOverlay } from './ConnectOverlay.tsx';
import { notifyDone, notifyError } from './notify.ts';

interface ConnectOverlayUse {
  onConnect: (made: ConnectedAccount) => void;
  onFailure?: (message: string) => void;
  /** The page itself shows what came of it. */
  isQuiet?: boolean;
}

interface ConnectOverlayState {
  /** Opens the connect page for the session that `begin` gives; rejects as `begin` does. */
  open: (begin: () => Promise<{ token: string }>) => Promise<void>;
  isOpening: boolean;
  /** Put it somewhere in the page. */
  overlay: ReactNode;
}

const SILENT = {
  message: 'The connect page did not come up. If Homeport runs from its sources, build it: npm run build.',
  code: 'unreachable',
};

/** A sign-in over the page; when it went through, the overlay is gone and the person has been told. */
export function useConnectOverlay(use: ConnectOverlayUse): ConnectOverlayState {
  const { onConnect, onFailure = () => {}, isQuiet = false } = use;
  const [token, setToken] = useState<string>();
  const [isOpening, setOpening] = useState(false);
  const opener = useRef<Element | null>(null);
  const close = (): void => setToken(undefined);
  useEffect(() => {
    // A button that waits cannot keep the focus, so the dialog does not know where it was.
    if (token === undefined && opener.current instanceof HTMLElement) opener.current.focus();
  }, [token]);
  const open = async (begin: () => Promise<{ token: string }>): Promise<void> => {
    opener.current = document.activeElement;
    setOpening(true);
    try {
      setToken((await begin()).token);
    } finally {
      setOpening(false);
    }
  };
  const overlay =
    token !== undefined &&
    createPortal(
      <ConnectOverlay
        token={token}
        onConnect={(made) => {
          close();
          if (!isQuiet || made.isPending)
            notifyDone(made.isPending ? 'Connected. The provider still has to approve it.' : 'Connected');
          onConnect(made);
        }}
        onFailure={onFailure}
        onClose={close}
        onSilence={() => {
          close();
          notifyError(SILENT);
        }}
      />,
      document.body,
    );
  return { open, isOpening, overlay };
}
