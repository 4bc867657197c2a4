import { HomeportError } from '../../lib/homeport-error.ts';
import type { ProxyService, ProxyTarget, VerificationOutcome } from '../proxy/proxy-service.ts';
import type { VerifyCredentials } from './lifecycle-service.ts';

/** Verification of imported credentials through the provider's own request (providers.md 9). */
export function createVerifier(use: { proxy: ProxyService }): VerifyCredentials {
  return async ({ integration, app, custom, credentials, connectionConfig, metadata }) => {
    const target: ProxyTarget = {
      environmentId: integration.environmentId,
      providerName: integration.provider,
      integration: {
        uniqueKey: integration.uniqueKey,
        ...(app.clientId === undefined ? {} : { clientId: app.clientId }),
        ...(app.clientSecret === undefined ? {} : { clientSecret: app.clientSecret }),
        custom,
      },
      connection: { id: 0, connectionId: '', credentials, connectionConfig, metadata },
    };
    try {
      return toVerdict(await use.proxy.verify(target, 'import'));
    } catch (error) {
      // No request can be made with these values: they were tested as much as they can be.
      if (error instanceof HomeportError) return { ok: false, message: error.message };
      throw error;
    }
  };
}

function toVerdict(outcome: VerificationOutcome): Awaited<ReturnType<VerifyCredentials>> {
  switch (outcome.kind) {
    case 'accepted':
    case 'untested':
      return { ok: true };
    case 'refused':
      return {
        ok: false,
        message: `The provider refused the credentials (status ${outcome.status}). Check them and try again.`,
      };
    case 'unreachable':
      return {
        ok: false,
        message: `The provider could not be reached (${outcome.code}), so the credentials were not tested. Try again later.`,
      };
  }
}
