import { isoDate } from '../platform/lib/dates.ts';
import type { DeviceSignIn } from './authorization.service.ts';

/** A sign-in with a code, for the page or program that shows it (auth-and-connect.md 3.12). */
export function presentDeviceSignIn(signIn: DeviceSignIn): Record<string, unknown> {
  switch (signIn.status) {
    case 'pending':
      return {
        status: 'pending',
        user_code: signIn.userCode,
        verification_uri: signIn.verificationUri,
        ...(signIn.verificationUriComplete === undefined
          ? {}
          : { verification_uri_complete: signIn.verificationUriComplete }),
        expires_at: isoDate(signIn.expiresAt),
      };
    case 'connected':
      return {
        status: 'connected',
        connectionId: signIn.connection.connectionId,
        providerConfigKey: signIn.connection.integrationKey,
      };
    case 'none':
      return { status: 'none' };
    default:
      return { status: signIn.status, error: { code: signIn.code, message: signIn.message } };
  }
}
