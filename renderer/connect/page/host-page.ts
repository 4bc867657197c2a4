import type { AuthResult } from '../../api/connect-api.ts';

/** Messages of this page to the app that embeds it (ui.md 11.2). */
export type HostMessage =
  | { type: 'ready' }
  | { type: 'close' }
  | { type: 'connect'; payload: AuthResult }
  | { type: 'error'; payload: { errorType: string; errorMessage: string } };

/** True in a frame of another page. */
export const isFramed = (): boolean => window.parent !== window;

/** Sent to any origin: the app's is not known, and the messages contain no secret. */
export function notifyHost(message: HostMessage): void {
  if (isFramed()) window.parent.postMessage(message, '*');
}

export interface HostListener {
  onToken(token: string): void;
  onSettings(settings: unknown): void;
}

/** Listens to the embedding page only; returns a function that stops listening. */
export function listenToHost(listener: HostListener): () => void {
  const onMessage = ({ data, source }: MessageEvent<unknown>): void => {
    if (!isFramed() || source !== window.parent) return;
    const message = (data ?? {}) as { type?: unknown; sessionToken?: unknown; payload?: unknown };
    if (message.type === 'session_token' && typeof message.sessionToken === 'string' && message.sessionToken !== '')
      listener.onToken(message.sessionToken);
    if (message.type === 'settings_changed') listener.onSettings(message.payload);
  };
  window.addEventListener('message', onMessage);
  return () => window.removeEventListener('message', onMessage);
}
