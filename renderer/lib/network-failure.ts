/** By error code: for a column with the title "Response", and for use after the name of a host. */
const WORDS: Record<string, readonly [short: string, predicate: string]> = {
  ECONNREFUSED: ['Refused', 'refused the connection'],
  ECONNRESET: ['Cut off', 'closed the connection before it answered'],
  ENOTFOUND: ['Not found', 'was not found'],
  EAI_AGAIN: ['Not found', 'was not found'],
  EHOSTUNREACH: ['Unreachable', 'cannot be reached'],
  ENETUNREACH: ['Unreachable', 'cannot be reached'],
  DESTINATION_DELETED: ['Deleted', 'was deleted before it accepted the webhook'],
  ETIMEDOUT: ['Too late', 'did not answer in time'],
};

/** One or two words that say why no response arrived; an unknown code stays as it is. */
export const failureWord = (code: string): string => WORDS[code]?.[0] ?? code;

/** "refused the connection", for use after the host; unknown codes are named. */
export const failurePredicate = (code: string | null): string =>
  code === null ? 'did not answer' : (WORDS[code]?.[1] ?? `did not answer (${code})`);
