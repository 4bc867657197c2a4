import type { ProxyService, ProxyTarget } from '../proxy/proxy-service.ts';
import type { VerifyCredentials } from './lifecycle-service.ts';

/** Verification of imported credentials through the provider's own request (providers.md 9). */
export function createVerifier(use: { proxy: ProxyService }): VerifyCredentials {
  return async ({ integration, credentials, connectionConfig, metadata }) => {
    const target: ProxyTarget = {
      environmentId: integration.environmentId,
      providerName: integration.provider,
      integration: { uniqueKey: integration.uniqueKey },
      connection: { id: 0, connectionId: '', credentials, connectionConfig, metadata },
    };
    const outcome = await use.proxy.verify(target, 'import');
    switch (outcome.kind) {
      case 'accepted':
      case 'untested':
        return { ok: true };
      case 'refused':
        return { ok: false, message: `The provider refused the credentials (status ${outcome.status}). Check them and try again.` };
      case 'unreachable':
        return { ok: false, message: `The provider could not be reached (${outcome.code}), so the credentials were not tested. Try again later.` };
    }
  };
}
