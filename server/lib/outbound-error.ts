/** Codes that a later attempt may overcome (functions.md 4.5). */
const TRANSIENT_NETWORK_CODES: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'ETIMEDOUT',
  'ECONNABORTED',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'EAI_AGAIN',
  'UND_ERR_SOCKET',
]);

/** undici's names for what Node's sockets call otherwise. */
const RENAMED: Record<string, string> = {
  UND_ERR_CONNECT_TIMEOUT: 'ETIMEDOUT',
  UND_ERR_HEADERS_TIMEOUT: 'ETIMEDOUT',
  UND_ERR_BODY_TIMEOUT: 'ETIMEDOUT',
  UND_ERR_ABORTED: 'ERR_CANCELED',
  // One and the same cut is called either name, as the moment has it.
  UND_ERR_SOCKET: 'ECONNRESET',
  ABORT_ERR: 'ERR_CANCELED',
};

/** A request that got no answer. The message names a host at most, never a path, query or header. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  /** `ECONNRESET`, `ENOTFOUND`, `ERR_CANCELED`, `ERR_ADDRESS_REFUSED`, `ERR_TOO_MANY_REDIRECTS`, … */
  readonly code: string;
  /** Redirects followed before the failure. */
  readonly hop: number;

  constructor(code: string, message: string, options: { hop?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.hop = options.hop ?? 0;
  }

  get isTransient(): boolean {
    return TRANSIENT_NETWORK_CODES.has(this.code);
  }
}

/** Gives any failure of the transport its stable code. */
export function toOutboundError(error: unknown, host: string, hop: number): OutboundError {
  const known = findOutboundError(error);
  if (known)
    return known.hop === hop ? known : new OutboundError(known.code, known.message, { hop, cause: known.cause });
  const code = codeOf(error);
  return new OutboundError(code, `${describe(code)} (${host})`, { hop, cause: error });
}

function findOutboundError(error: unknown): OutboundError | undefined {
  if (error instanceof OutboundError) return error;
  if (error instanceof AggregateError) return error.errors.map(findOutboundError).find((inner) => inner !== undefined);
  return error instanceof Error && error.cause !== undefined ? findOutboundError(error.cause) : undefined;
}

function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  if (error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError')) {
    return error.name === 'AbortError' ? 'ERR_CANCELED' : 'ETIMEDOUT';
  }
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'ERR_NETWORK';
  return RENAMED[code] ?? code;
}

function describe(code: string): string {
  switch (code) {
    case 'ECONNREFUSED':
      return 'The connection was refused';
    case 'ENOTFOUND':
      return 'The host was not found';
    case 'ETIMEDOUT':
      return 'The host did not answer in time';
    case 'ERR_CANCELED':
      return 'The request was cancelled';
    case 'ECONNRESET':
      return 'The connection was closed before an answer came';
    default:
      return `The request failed with ${code}`;
  }
}
