import { landingUrl } from '../../../contract/callback-page.ts';
import type { Environment } from '../../../services/environment/environment-service.ts';

/** The connect page stands where the OAuth callback does, whose messages it accepts (design.md 7.18); no redirector shows it. */
export function connectOrigin({ settings }: Environment, publicBase: string): string {
  return new URL(landingUrl(settings.callbackUrl ?? publicBase)).origin;
}
