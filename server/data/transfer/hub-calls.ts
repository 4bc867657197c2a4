export interface HubCallRequest {
  query?: Record<string, string | undefined>;
  /** Sent as JSON. */
  body?: unknown;
}

/** The public API of a hub or of another server with the same API. */
export interface HubCalls {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  /** Resolves to every response. Rejects only when the server does not answer. */
  send(method: string, path: string, request?: HubCallRequest): Promise<{ status: number; body: unknown }>;
  /** Resolves to the body of a successful response. Rejects with the server's refusal. */
  call<T = unknown>(method: string, path: string, request?: HubCallRequest): Promise<T>;
}

type TransferFailureCode = 'invalid_export' | 'wrong_passphrase' | 'invalid_body';

/** A transfer, or a part of it, that is not possible. The message is a sentence for people. */
export class TransferFailure extends Error {
  override readonly name = 'TransferFailure';
  readonly code: TransferFailureCode;

  constructor(
    message: string,
    { code = 'invalid_export', cause }: { code?: TransferFailureCode; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.code = code;
  }
}

/** The message of a refusal with its issues; undefined for a success. */
export function whyRefused({ status, body }: { status: number; body: unknown }): string | undefined {
  if (status < 400) return undefined;
  const { error } = (body ?? {}) as {
    error?: { code?: string; message?: string; errors?: Array<{ message: string; path: string[] }> };
  };
  const issues = (error?.errors ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);
  return [error?.message ?? error?.code ?? `status ${status}`, ...issues].join('; ');
}
