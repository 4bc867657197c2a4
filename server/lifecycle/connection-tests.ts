import type { StoredCredentials } from '../connections/credentials/credentials.service.ts';
import type { ProviderEntry } from '../integrations/catalog/entry-schema.ts';
import type { Integration } from '../integrations/integration.ts';
import type { IntegrationsService } from '../integrations/integrations.service.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { OutboundError } from '../platform/lib/outbound-error.ts';
import {
  isTested,
  ProxyRequestError,
  type ProxyService,
  type ProxyTarget,
  type TestedFlow,
  type VerificationOutcome,
} from '../proxy/proxy.service.ts';
import type { ProviderSteps } from './provider-steps-runner.ts';

/** Credentials and the data for a request with them; they need not be stored. */
export interface TestedConnection {
  entry: ProviderEntry;
  integration: Integration;
  credentials: StoredCredentials;
  connectionConfig: Record<string, unknown>;
  metadata: Record<string, unknown>;
}

/** `untested`: the provider has no test. */
type ConnectionTestResult = 'untested' | 'accepted' | 'unreachable' | { refusal: string };

export const UNREACHABLE = 'The provider could not be reached, so the credentials were not tested. Try again later.';

export type ConnectionTests = ReturnType<typeof createConnectionTests>;

/** Asks providers whether credentials work (providers.md 9). */
export function createConnectionTests({
  proxy,
  integrations,
  providerSteps,
}: {
  proxy: ProxyService;
  integrations: IntegrationsService;
  providerSteps: ProviderSteps;
}) {
  /** The provider's response to a test of the credentials. */
  async function probe(tested: TestedConnection, flow: TestedFlow): Promise<ConnectionTestResult> {
    if (!isTested(tested.entry.auth_mode, flow)) return 'untested';
    const target = await targetOf(tested);
    try {
      const own = await providerSteps.verify(tested.entry, target);
      if (own) return own.ok ? 'accepted' : { refusal: own.message };
      return toValidationResult(await proxy.verify(target, flow));
    } catch (error) {
      if (error instanceof OutboundError || error instanceof ProxyRequestError) return 'unreachable';
      // No request can be built with these values, so this is the result of the test.
      if (error instanceof HomeportError) return { refusal: error.message };
      throw error;
    }
  }

  async function targetOf({
    integration,
    credentials,
    connectionConfig,
    metadata,
  }: TestedConnection): Promise<ProxyTarget> {
    const { environmentId, uniqueKey, provider } = integration;
    const [app, custom] = await Promise.all([
      integrations.readAppCredentials(environmentId, uniqueKey),
      integrations.readCustom(environmentId, uniqueKey),
    ]);
    return {
      environmentId,
      providerName: provider,
      integration: {
        uniqueKey,
        ...(app.clientId === undefined ? {} : { clientId: app.clientId }),
        ...(app.clientSecret === undefined ? {} : { clientSecret: app.clientSecret }),
        custom,
      },
      connection: { id: 0, connectionId: '', credentials, connectionConfig, metadata },
    };
  }

  return {
    probe,
    /**
     * Throws `connection_test_failed` when the provider refuses the credentials or cannot be reached. Accepts them when
     * the provider has no test.
     */
    async check(tested: TestedConnection, flow: TestedFlow): Promise<void> {
      const result = await probe(tested, flow);
      if (result === 'unreachable') throw new HomeportError('connection_test_failed', UNREACHABLE);
      if (typeof result === 'object') throw new HomeportError('connection_test_failed', result.refusal);
    },
    /** Whether credentials of this provider are tested in the flow. */
    canTest({ auth_mode, credentials_verification_script, proxy }: ProviderEntry, flow: TestedFlow): boolean {
      const hasTest = credentials_verification_script !== undefined || proxy?.verification !== undefined;
      return hasTest && isTested(auth_mode, flow);
    },
  };
}

function toValidationResult(outcome: VerificationOutcome): ConnectionTestResult {
  if (outcome.kind !== 'refused') return outcome.kind;
  return { refusal: `The provider refused the credentials (status ${outcome.status}). Check them and try again.` };
}
