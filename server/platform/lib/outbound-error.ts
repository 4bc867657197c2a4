/** Codes of failures that may not occur again on a later attempt (functions.md 4.5). */
const TRANSIENT_NETWORK_CODES: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'ETIMEDOUT',
  'ECONNABORTED',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'EAI_AGAIN',
  'UND_ERR_SOCKET',
]);

/** Translates codes of undici to the names that Node's sockets use. */
const RENAMED: Record<string, string> = {
  UND_ERR_CONNECT_TIMEOUT: 'ETIMEDOUT',
  UND_ERR_HEADERS_TIMEOUT: 'ETIMEDOUT',
  UND_ERR_BODY_TIMEOUT: 'ETIMEDOUT',
  UND_ERR_ABORTED: 'ERR_CANCELED',
  // undici reports the same broken connection under either name, depending on timing.
  UND_ERR_SOCKET: 'ECONNRESET',
  ABORT_ERR: 'ERR_CANCELED',
  // The body has another length than announced, or two lengths were announced.
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'ERR_BAD_RESPONSE',
  // A status below 100.
  ERR_ASSERTION: 'ERR_BAD_RESPONSE',
};

/**
 * A request that got no response, or whose response broke off. The message may name a host, but no path, query or header.
 */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  /** `ECONNRESET`, `ENOTFOUND`, `ERR_CANCELED`, `ERR_ADDRESS_REFUSED`, `ERR_BAD_RESPONSE`, … */
  readonly code: string;
  /** Number of redirects followed before the failure. */
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

/** Converts a failure of the transport to an error with a stable code. */
export function toOutboundError(error: unknown, host: string, hop: number): OutboundError {
  const known = findOutboundError(error);
  if (known)
    return known.hop === hop ? known : new OutboundError(known.code, known.message, { hop, cause: known.cause });
  const code = codeOf(error);
  return new OutboundError(code, `${describe(code)} (${host})`, { hop, cause: error });
}

/** Converts a failure while a response body is read to an error with a stable code. */
export function toBodyError(error: unknown): OutboundError {
  const known = findOutboundError(error);
  if (known) return known;
  const code = codeOf(error);
  return new OutboundError(code, BODY_FAILURES[code] ?? `Reading the response failed with ${code}`, { cause: error });
}

const BODY_FAILURES: Record<string, string> = {
  ECONNRESET: 'The connection was closed before the response was complete',
  ETIMEDOUT: 'The response stopped and did not continue in time',
  ERR_BAD_RESPONSE: 'The body of the response is invalid',
  ERR_CANCELED: 'The request was cancelled',
};

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
  // Errors of undici's HTTP parser mostly have no code.
  if (error instanceof Error && error.name === 'HTTPParserError') return 'ERR_BAD_RESPONSE';
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  if (typeof code !== 'string') return 'ERR_NETWORK';
  return DECODER_CODES.test(code) ? 'ERR_BAD_RESPONSE' : (RENAMED[code] ?? code);
}

/** Codes with which the decoders of gzip and deflate, Brotli and Zstandard report an unreadable body. */
const DECODER_CODES = /^(Z_|ERR__|ZSTD_)/;

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
    case 'ERR_BAD_RESPONSE':
      return 'The response is not valid HTTP';
    case 'ECONNRESET':
      return 'The connection was closed before an answer came';
    default:
      return `The request failed with ${code}`;
  }
}
