export interface HubCallRequest {
  query?: Record<string, string | undefined>;
  /** Sent as JSON. */
  body?: unknown;
}

/** The public API of a hub, or of another server that has the same API. */
export interface HubCalls {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** Whatever the server answers; rejects only when it does not answer at all. */
  send(method: string, path: string, request?: HubCallRequest): Promise<{ status: number; body: unknown }>;
  /** The body of a successful answer; rejects with what the server refused. */
  call<T = unknown>(method: string, path: string, request?: HubCallRequest): Promise<T>;
}

/** A part of a transfer that cannot be done, in a sentence for people. */
export class TransferFailure extends Error {
  override readonly name = 'TransferFailure';
}

/** What a refusal says, with each of its issues; undefined for a success. */
export function whyRefused({ status, body }: { status: number; body: unknown }): string | undefined {
  if (status < 400) return undefined;
  const { error } = (body ?? {}) as {
    error?: { code?: string; message?: string; errors?: Array<{ message: string; path: string[] }> };
  };
  const issues = (error?.errors ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);
  return [error?.message ?? error?.code ?? `status ${status}`, ...issues].join('; ');
}
