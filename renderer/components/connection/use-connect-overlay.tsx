import { type ReactNode, useEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { notifyDone, notifyError } from '../notice/notify.ts';
import { type ConnectedAccount, ConnectOverlay } from './ConnectOverlay.tsx';

interface ConnectOverlayUse {
  onConnect: (made: ConnectedAccount) => void;
  onFailure?: (message: string) => void;
  /** The page shows the result itself. */
  isQuiet?: boolean;
}

interface ConnectOverlayState {
  /** Opens the connect page for the session from `begin`; rejects when `begin` does. */
  open: (begin: () => Promise<{ token: string }>) => Promise<void>;
  isOpening: boolean;
  /** Render it somewhere in the page. */
  overlay: ReactNode;
}

const SILENT = {
  message: 'The connect page did not load. If Homeport runs from its sources, build it: npm run build.',
  code: 'unreachable',
};

/** An authorization over the page; on success the overlay closes and a message says so. */
export function useConnectOverlay(use: ConnectOverlayUse): ConnectOverlayState {
  const { onConnect, onFailure = () => {}, isQuiet = false } = use;
  const [token, setToken] = useState<string>();
  const [isOpening, setOpening] = useState(false);
  const opener = useRef<Element | null>(null);
  const close = (): void => setToken(undefined);
  useEffect(() => {
    // A disabled button loses the focus, so the dialog does not know where to return it.
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
