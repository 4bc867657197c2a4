/** A refusal in the words of OAuth (RFC 6749, 5.2 and 4.1.2.1). */
export class OAuthRefusal extends Error {
  readonly code: string;
  readonly status: number;
  /** Seconds after which a repeat is taken. */
  readonly retryAfterS: number | undefined;

  constructor(
    code: string,
    message: string,
    { retryAfterS, status = 400 }: { status?: number; retryAfterS?: number } = {},
  ) {
    super(message);
    this.code = code;
    this.status = status;
    this.retryAfterS = retryAfterS;
  }
}
