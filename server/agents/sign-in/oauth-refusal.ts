/** A refusal in the words of OAuth (RFC 6749, 5.2 and 4.1.2.1). */
export class OAuthRefusal extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, message: string, status = 400) {
    super(message);
    this.code = code;
    this.status = status;
  }
}
