import { isSameSecret } from './practice-secret.ts';

/** An app that people let in: an OAuth 2 client, and an OAuth 1.0a consumer with the same two values. */
export interface PracticeClient {
  id: string;
  secret: string;
  name: string;
}

/** Registered from the start; shown in the guide and in the catalogue, for there is nothing behind it to protect. */
export const PRACTICE_CLIENT: PracticeClient = {
  id: 'practice-client',
  secret: 'practice-client-secret',
  name: 'Practice client',
};

export function isClientSecret(client: PracticeClient, id: string, secret: string): boolean {
  // Both are compared always: the time taken does not say which of them was wrong.
  return [isSameSecret(client.id, id), isSameSecret(client.secret, secret)].every(Boolean);
}
