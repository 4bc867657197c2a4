import { landingUrl } from '../../../contract/callback-page.ts';
import type { Environment } from '../../../services/environment/environment-service.ts';
import { isLoopbackName } from '../../middleware/host-guard.ts';

/**
 * Origin of the connect page. It is always this computer's: the public address does not show the page (design.md 7.28).
 * Of its names it is the one that the OAuth callback lands on, whose messages the page accepts (7.18).
 */
export function connectOrigin({ settings }: Environment, localBase: string): string {
  const landing = new URL(landingUrl(settings.callbackUrl ?? localBase));
  return isLoopbackName(landing.hostname) ? landing.origin : localBase;
}
