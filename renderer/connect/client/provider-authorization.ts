import type { AuthResult } from '../../api/connect-api.ts';
import { ApiError } from '../../lib/api-error.ts';
import { openAuthorizationSocket } from './authorization-socket.ts';
import type { AuthorizationWindow } from './authorization-window.ts';
import { listenToCallbackPage } from './callback-messages.ts';

const WATCH_MS = 500;
/** Milliseconds that the window stays open after the end, so that a person sees the result. */
const CLOSE_AFTER_MS = 500;
/** Milliseconds; the socket is faster than the callback page, which still waits for our acknowledgement. */
const LISTEN_AFTER_MS = 5000;

export interface ProviderAuthorizationOptions {
  window: AuthorizationWindow;
  apiUrl: string;
  socketUrl: string;
  /** The address of the provider's authorization page, once the server has acknowledged our socket. */
  urlFor(socketClientId: string): string;
  /** Closing the window ends the authorization. */
  detectsClosed: boolean;
  /** By default there is no limit. */
  limitMs?: number;
  onLink(url: string): void;
  onGone(isGone: boolean): void;
}

export interface Authorization {
  result: Promise<AuthResult>;
  /** Shows the window again; requires a click. */
  showAgain(): void;
  cancel(): void;
}

/** One authorization at a provider, from the empty window to the result over the socket (auth-and-connect.md 1.6). */
export function startAuthorization(options: ProviderAuthorizationOptions): Authorization {
  const { window: view } = options;
  const { promise, resolve, reject } = Promise.withResolvers<AuthResult>();
  let link: string | undefined;
  let hasReturned = false;
  let isOver = false;

  const end = (settle: () => void): void => {
    if (isOver) return;
    isOver = true;
    for (const stop of stops) stop();
    setTimeout(() => view.close(), CLOSE_AFTER_MS);
    setTimeout(stopListening, LISTEN_AFTER_MS);
    settle();
  };
  const fail = (code: string, message: string): void => end(() => reject(new ApiError(code, message, 0)));
  const show = (url: string): void => {
    try {
      view.show(url);
    } catch (error) {
      end(() => reject(error));
    }
  };

  const closeSocket = openAuthorizationSocket(options.socketUrl, {
    onReady(clientId) {
      link = options.urlFor(clientId);
      options.onLink(link);
      // A window that was closed meanwhile can only be reopened by a click.
      if (!view.isGone()) show(link);
    },
    onSuccess: (result) => end(() => resolve(result)),
    onError: fail,
    onLost: () => fail('unreachable', 'The connection to Homeport was lost before the sign-in ended.'),
  });
  const stopListening = listenToCallbackPage({
    apiUrl: options.apiUrl,
    window: view,
    // The socket delivers the result from now on, so the window may close.
    onSuccess: () => {
      hasReturned = true;
    },
    onError: fail,
  });
  const watch = setInterval(() => {
    const isGone = view.isGone() && !hasReturned;
    if (isGone && options.detectsClosed) fail('window_closed', 'The sign-in window was closed.');
    else options.onGone(isGone);
  }, WATCH_MS);
  const limit =
    options.limitMs === undefined
      ? undefined
      : setTimeout(() => fail('sign_in_late', 'The sign-in was not finished in time.'), options.limitMs);
  const stops = [closeSocket, () => clearInterval(watch), () => clearTimeout(limit)];

  return {
    result: promise,
    showAgain() {
      if (link !== undefined) show(link);
    },
    cancel: () => end(() => reject(new DOMException('The sign-in was cancelled.', 'AbortError'))),
  };
}
