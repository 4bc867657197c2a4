/** The entrance of `credentials`: what other services may use of the kinds of credentials. */
export { toStoredCredentials } from './imported-credentials.ts';
export type { StoredCredentials } from './stored-credentials.ts';
