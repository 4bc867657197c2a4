import { isSameOrigin } from '../../lib/loopback.ts';
import type { AuthorizationWindow } from './authorization-window.ts';

const CHANNEL = 'nango-oauth-callback';
const ACKNOWLEDGEMENT = { type: 'nango_oauth_callback_ack' };

export interface CallbackListener {
  apiUrl: string;
  window: AuthorizationWindow;
  onSuccess(): void;
  onError(code: string, message: string): void;
}

interface CallbackMessage {
  type: 'nango_oauth_callback_success' | 'nango_oauth_callback_error';
  payload?: { message?: unknown; errorType?: unknown };
}

/**
 * Listens to the page on which an authorization ends (auth-and-connect.md 3.6), by message and by channel. The channel
 * reaches every connect page of the browser and does not identify the authorization, so it counts only while the window
 * is unreachable because the provider's page isolated it. Returns a function that stops listening.
 */
export function listenToCallbackPage(listener: CallbackListener): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  const handle = (data: unknown, respond: () => void): void => {
    const message = readCallback(data);
    if (!message) return;
    respond();
    if (message.type === 'nango_oauth_callback_success') listener.onSuccess();
    else listener.onError(textOr(message.payload?.errorType, 'unknown_error'), textOr(message.payload?.message, ''));
  };
  const onMessage = ({ data, origin, source }: MessageEvent<unknown>): void => {
    if (!isSameOrigin(origin, listener.apiUrl) || !listener.window.sent(source)) return;
    handle(data, () => source?.postMessage(ACKNOWLEDGEMENT, { targetOrigin: origin }));
  };
  channel.onmessage = ({ data, origin }: MessageEvent<unknown>) => {
    if (!isSameOrigin(origin, listener.apiUrl) || !listener.window.isGone()) return;
    handle(data, () => channel.postMessage(ACKNOWLEDGEMENT));
  };
  window.addEventListener('message', onMessage);
  return () => {
    window.removeEventListener('message', onMessage);
    channel.close();
  };
}

function readCallback(data: unknown): CallbackMessage | undefined {
  const type = (data as { type?: unknown } | null)?.type;
  const isKnown = type === 'nango_oauth_callback_success' || type === 'nango_oauth_callback_error';
  return isKnown ? (data as CallbackMessage) : undefined;
}

const textOr = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise);
