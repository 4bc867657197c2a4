import { type ReactNode, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { notifyDone, notifyError } from '../notice/notify.ts';
import classes from './ConnectOverlay.module.css';

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

interface ConnectedAccount {
  integrationKey: string;
  connectionId: string;
  /** The provider still has to approve the connection. */
  isPending: boolean;
}

interface ConnectOverlayProps {
  token: string;
  onConnect: (made: ConnectedAccount) => void;
  /** An attempt failed; the page shows the failure too. */
  onFailure: (message: string) => void;
  onClose: () => void;
  /** The page did not load. */
  onSilence: () => void;
}

/** Milliseconds that the page may take to load. */
const READY_WITHIN_MS = 10_000;

/** Messages of the connect page to the page that embeds it (auth-and-connect.md 1.7). */
interface PageMessage {
  type?: unknown;
  payload?: { providerConfigKey?: unknown; connectionId?: unknown; isPending?: unknown; errorMessage?: unknown };
}

/** The connect page over this one, in a frame of our own origin. It closes itself, confirms closing, and keeps the focus inside. */
function ConnectOverlay(props: ConnectOverlayProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  const latest = useEffectEvent(() => props);

  // Before the first paint: the page behind must never be reachable.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  useEffect(() => {
    const silence = setTimeout(() => latest().onSilence(), READY_WITHIN_MS);
    const onMessage = ({ data, origin, source }: MessageEvent<unknown>): void => {
      const page = frame.current?.contentWindow;
      if (origin !== location.origin || !page || source !== page) return;
      const { type, payload = {} } = (data ?? {}) as PageMessage;
      const { onConnect, onFailure, onClose, token } = latest();
      if (type === 'ready') {
        clearTimeout(silence);
        page.postMessage({ type: 'session_token', sessionToken: token }, location.origin);
        page.focus();
      } else if (type === 'close') onClose();
      else if (type === 'error') onFailure(String(payload.errorMessage ?? ''));
      else if (type === 'connect') {
        onConnect({
          integrationKey: String(payload.providerConfigKey),
          connectionId: String(payload.connectionId),
          isPending: payload.isPending === true,
        });
      }
    };
    window.addEventListener('message', onMessage);
    return () => {
      clearTimeout(silence);
      window.removeEventListener('message', onMessage);
    };
  }, []);

  const theme = document.documentElement.dataset['mantineColorScheme'] === 'dark' ? 'dark' : 'light';
  return (
    <dialog
      ref={dialog}
      className={`full ${classes['overlay']}`}
      aria-label="Connect an account"
      onCancel={(event) => {
        event.preventDefault();
        props.onClose();
      }}
    >
      <iframe
        ref={frame}
        id="connect-ui"
        title="Connect an account"
        src={`/connect/?theme=${theme}`}
        allow="clipboard-write"
      />
    </dialog>
  );
}
