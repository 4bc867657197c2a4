import {
  type CredentialsContext,
  type CredentialsService,
  endOfRegistration,
  type OAuthClient,
} from '../connections/credentials/credentials.service.ts';
import { callbackUrlOf } from '../contract/callback-page.ts';
import type { Environment } from '../environments/environment.service.ts';
import { registrationOf } from '../integrations/catalog/ways-in.contract.ts';
import type { Integration, IntegrationAppCredentials } from '../integrations/integration.ts';
import type { IntegrationsService } from '../integrations/integrations.service.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Logger } from '../platform/lib/logger.ts';
import { SingleFlight } from '../platform/lib/single-flight.ts';

/** What is needed to register the hub at a provider. */
export type RegistrationContext = CredentialsContext & { integration: Integration };

/** Short, because a person waits for the new integration; the first authorization may take longer. */
const AT_CREATION_MS = 5_000;
const AT_AUTHORIZATION_MS = 30_000;

export type ClientRegistration = ReturnType<typeof createClientRegistration>;

/** The hub's own clients at providers of the catalogue that register clients (auth-and-connect.md 3.8). */
export function createClientRegistration({
  integrations,
  credentials,
  clock,
  logger,
  publicBase,
}: {
  integrations: IntegrationsService;
  credentials: CredentialsService;
  clock: Clock;
  logger: Logger;
  /** Origin of callback addresses, without a trailing slash. */
  publicBase(): string;
}) {
  const flights = new SingleFlight<OAuthClient>();

  function register(context: RegistrationContext, callbackUrl: string, timeoutMs: number): Promise<OAuthClient> {
    const { id } = context.integration;
    return flights.run(`${id} ${callbackUrl}`, () => registerOnce(context, callbackUrl, timeoutMs));
  }

  /** Checks again: a caller that waited finds the client that the first one registered. */
  async function registerOnce(
    context: RegistrationContext,
    callbackUrl: string,
    timeoutMs: number,
  ): Promise<OAuthClient> {
    const { environmentId, integration } = context;
    const known = await integrations.readAppCredentials(environmentId, integration.uniqueKey);
    if (known.clientId !== undefined && isUsable(known, callbackUrl, clock.now())) {
      return { id: known.clientId, secret: known.clientSecret };
    }
    const client = await credentials.registerClient(context, callbackUrl, timeoutMs);
    const endsAt = endOfRegistration(client);
    await integrations.keepRegisteredApp(environmentId, integration.uniqueKey, {
      clientId: client.client_id,
      registeredFor: callbackUrl,
      ...(client.client_secret === undefined ? {} : { clientSecret: client.client_secret }),
      ...(endsAt === undefined ? {} : { registrationEndsAt: new Date(endsAt).toISOString() }),
    });
    return { id: client.client_id, secret: client.client_secret };
  }

  return {
    /**
     * Registers the hub for a new integration. When the provider cannot be reached, the first authorization tries again.
     */
    async prepare(environment: Environment, integration: Integration): Promise<void> {
      const { entry } = await integrations.get(environment.id, integration.uniqueKey);
      if (registrationOf(entry) !== 'dynamic') return;
      const context = { environmentId: environment.id, integration, entry, app: {}, custom: {}, connectionConfig: {} };
      try {
        await register(context, callbackUrlOf(environment.settings.callbackUrl, publicBase()), AT_CREATION_MS);
      } catch (error) {
        if (!(error instanceof HomeportError)) throw error;
        const about = { integration: integration.uniqueKey, code: error.code };
        logger.warn(about, `no client was registered yet: ${error.message}`);
      }
    },
    /** The registered client for an authorization; undefined for providers where a person enters the client. */
    async ensure(
      context: RegistrationContext,
      { callbackUrl, documentUrl }: { callbackUrl: string; documentUrl: string | undefined },
    ): Promise<OAuthClient | undefined> {
      switch (registrationOf(context.entry)) {
        case 'dynamic':
          return register(context, callbackUrl, AT_AUTHORIZATION_MS);
        case 'cimd':
          // A person may publish such a document elsewhere, and enter its address as the client id.
          if (context.app.clientId !== undefined) return undefined;
          if (documentUrl !== undefined) return { id: documentUrl, secret: undefined };
          throw new HomeportError(
            'provider_config_err',
            `${context.entry.display_name} knows its clients by the https address of a document about them (client id metadata ` +
              'document), which it cannot read on this computer. Set a public https address (HOMEPORT_PUBLIC_URL), or publish ' +
              'such a document elsewhere and enter its address as the client id of the integration.',
          );
        case 'static':
          return undefined;
      }
    },
  };
}

/** A client that a person entered is always usable; a registered one is for one callback address and may expire. */
function isUsable(
  { registeredFor, registrationEndsAt }: IntegrationAppCredentials,
  callbackUrl: string,
  nowMs: number,
): boolean {
  if (registeredFor === undefined) return true;
  return registeredFor === callbackUrl && (registrationEndsAt === undefined || Date.parse(registrationEndsAt) > nowMs);
}
