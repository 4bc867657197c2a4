import { grants } from '../../../environments/key-scopes.contract.ts';
import { HomeportError } from '../../lib/homeport-error.ts';

/** Throws unless the key has one of the `wanted` scopes. A route without scopes is open to every key. */
export function checkScopes(held: readonly string[], wanted: readonly string[]): void {
  if (wanted.length === 0 || wanted.some((scope) => grants(held, scope))) return;
  throw new HomeportError('forbidden', `The key lacks the scope ${wanted.join(' or ')}.`);
}
