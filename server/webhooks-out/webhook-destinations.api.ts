import { empty } from '../contract/fields.ts';
import { webhookDestinationsResponse } from '../environments/environment-responses.contract.ts';
import { refuseOwnAddress } from '../platform/http/refuse-own-address.ts';
import { type Handler, ok, type PublicRoute } from '../platform/http/route.ts';
import { validateBody, validateQuery } from '../platform/http/validate.ts';
import { destinationsBody } from './destination-fields.contract.ts';
import type { NotificationsService } from './notifications.service.ts';
import { presentWebhookDestination } from './webhook-destination.present.ts';

export interface WebhookDestinationsApiDeps {
  notifications: Pick<NotificationsService, 'destinations'>;
  /** Origin of addresses that providers call, without a trailing slash. */
  publicBase: () => string;
  /** Origin of the dashboard for people on this computer. */
  dashboardUrl: () => string;
}

/** Destinations of webhooks in addition to the primary and the secondary URL (http-api.md 12). */
export function webhookDestinationsApi(use: WebhookDestinationsApiDeps): PublicRoute[] {
  return [
    {
      method: 'get',
      path: '/environment/webhook-destinations',
      access: 'key',
      scopes: ['environment:settings:read'],
      limitedKeys: 'refused',
      handler: listDestinations(use),
      openapi: {
        id: 'listWebhookDestinations',
        tag: 'Environment',
        summary: 'List further webhook destinations',
        details:
          'Addresses that get outgoing webhooks in addition to the primary and the secondary URL, each with its filters.',
        query: empty,
        responses: { 200: webhookDestinationsResponse },
      },
    },
    {
      method: 'put',
      path: '/environment/webhook-destinations',
      access: 'key',
      scopes: ['environment:settings:write'],
      limitedKeys: 'refused',
      handler: replaceDestinations(use),
      audit: { action: 'settings_changed', subject: () => 'webhook destinations' },
      openapi: {
        id: 'replaceWebhookDestinations',
        tag: 'Environment',
        summary: 'Replace further webhook destinations',
        details:
          'The list replaces the one before: an entry with the `id` of a present one changes it, one without is new, and destinations that are not in it are deleted. Empty `types` or `integrations` mean all.',
        query: empty,
        body: destinationsBody,
        responses: { 200: webhookDestinationsResponse },
        errors: ['not_found'],
        example: {
          body: { destinations: [{ name: 'Billing', url: 'http://localhost:8080/billing', types: ['sync'] }] },
        },
      },
    },
  ];
}

function listDestinations({ notifications }: WebhookDestinationsApiDeps): Handler {
  return async ({ environment, query }) => {
    validateQuery(empty, query);
    return ok({ data: (await notifications.destinations.list(environment.id)).map(presentWebhookDestination) });
  };
}

function replaceDestinations({ dashboardUrl, notifications, publicBase }: WebhookDestinationsApiDeps): Handler {
  return async ({ body, environment, query }) => {
    validateQuery(empty, query);
    const { destinations } = validateBody(destinationsBody, body);
    const urls = destinations.map(({ url }, index) => ({ path: ['destinations', String(index), 'url'], url }));
    refuseOwnAddress(urls, { local: dashboardUrl(), public: publicBase() });
    const replaced = await notifications.destinations.replaceAll(
      environment.id,
      destinations.map(({ is_enabled: isEnabled, ...rest }) => ({ ...rest, isEnabled })),
    );
    return ok({ data: replaced.map(presentWebhookDestination) });
  };
}
