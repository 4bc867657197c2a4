import { isSameSecret } from './practice-secret.ts';

/** A registered app: an OAuth 2 client, and an OAuth 1.0a consumer with the same two values. */
export interface PracticeClient {
  id: string;
  secret: string;
  name: string;
}

/** Registered from the start. Guide and catalogue show the secret, because it protects nothing. */
export const PRACTICE_CLIENT: PracticeClient = {
  id: 'practice-client',
  secret: 'practice-client-secret',
  name: 'Practice client',
};

export function isClientSecret(client: PracticeClient, id: string, secret: string): boolean {
  // Both are always compared, so that the time does not reveal which of them was wrong.
  return [isSameSecret(client.id, id), isSameSecret(client.secret, secret)].every(Boolean);
}
