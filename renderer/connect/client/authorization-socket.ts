import type { AuthResult } from '../../api/connect-api.ts';

export interface SocketListener {
  /** The id under which the server knows this socket. */
  onReady(clientId: string): void;
  onSuccess(result: AuthResult): void;
  onError(code: string, message: string): void;
  /** The socket could not be opened, or closed before the result. */
  onLost(): void;
}

type SocketMessage =
  | { message_type: 'connection_ack'; ws_client_id: string }
  | { message_type: 'success'; provider_config_key: string; connection_id: string; is_pending?: boolean }
  | { message_type: 'error'; error_type: string; error_desc: string };

/** Waits for the result of one authorization (auth-and-connect.md 1.6); returns a function that stops waiting. */
export function openAuthorizationSocket(url: string, listener: SocketListener): () => void {
  const socket = new WebSocket(url);
  let isDone = false;
  const finish = (): void => {
    isDone = true;
    socket.close();
  };
  socket.onmessage = ({ data }: MessageEvent<unknown>) => {
    const message = readMessage(data);
    if (isDone || !message) return;
    if (message.message_type === 'connection_ack') {
      listener.onReady(message.ws_client_id);
      return;
    }
    finish();
    if (message.message_type === 'error') listener.onError(message.error_type, message.error_desc);
    else {
      const { provider_config_key: providerConfigKey, connection_id: connectionId, is_pending: isPending } = message;
      listener.onSuccess({ providerConfigKey, connectionId, isPending: isPending === true });
    }
  };
  socket.onclose = () => {
    if (isDone) return;
    isDone = true;
    listener.onLost();
  };
  return finish;
}

/** Undefined for unknown messages: the protocol allows servers to send more kinds. */
function readMessage(data: unknown): SocketMessage | undefined {
  if (typeof data !== 'string') return undefined;
  try {
    const message = JSON.parse(data) as SocketMessage | null;
    return ['connection_ack', 'success', 'error'].includes(message?.message_type ?? '')
      ? (message ?? undefined)
      : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
