import type { QueryErrorCode } from './engine-messages.ts';

/** A query that cannot be answered, with a sentence that says what to do. */
export class QueryError extends Error {
  override readonly name = 'QueryError';
  readonly code: QueryErrorCode;

  constructor(code: QueryErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
