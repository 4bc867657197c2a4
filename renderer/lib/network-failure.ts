/** By code of the failure: in a column headed "Answer", and after the name of a host. */
const WORDS: Record<string, readonly [short: string, predicate: string]> = {
  ECONNREFUSED: ['Refused', 'refused the connection'],
  ECONNRESET: ['Cut off', 'closed the connection before it answered'],
  ENOTFOUND: ['Not found', 'was not found'],
  EAI_AGAIN: ['Not found', 'was not found'],
  EHOSTUNREACH: ['Unreachable', 'cannot be reached'],
  ENETUNREACH: ['Unreachable', 'cannot be reached'],
  DESTINATION_DELETED: ['Deleted', 'was deleted before it took the webhook'],
  ETIMEDOUT: ['Too late', 'did not answer in time'],
};

/** One or two words for why no answer came; a code that is not known stays as it is. */
export const failureWord = (code: string): string => WORDS[code]?.[0] ?? code;

/** "refused the connection", to be read after the host; codes that are not known are named. */
export const failurePredicate = (code: string | null): string =>
  code === null ? 'did not answer' : (WORDS[code]?.[1] ?? `did not answer (${code})`);
