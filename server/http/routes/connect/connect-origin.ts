import type { Environment } from '../../../services/environment/environment-service.ts';

/** The connect page stands at the origin of the OAuth callback, whose messages it accepts (design.md 7.18). */
export function connectOrigin({ settings }: Environment, publicBase: string): string {
  return new URL(settings.callbackUrl ?? publicBase).origin;
}
