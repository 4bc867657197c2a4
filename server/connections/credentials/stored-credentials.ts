/**
 * Credentials as they are sealed and as `GET /connections/:id` returns them (auth-and-connect.md 2.3), with the
 * members' wire names. `type` is absent for the auth mode NONE.
 */
export interface StoredCredentials {
  type?: string;
  /** ISO 8601. */
  expires_at?: string;
  raw?: Record<string, unknown>;
  [member: string]: unknown;
}
