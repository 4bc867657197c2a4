/** The entrance of `credentials`: what other services may use of the kinds of credentials. */
export { readFlatCredentials } from './flat-credentials.ts';
export { toStoredCredentials } from './imported-credentials.ts';
export type { StoredCredentials } from './stored-credentials.ts';
