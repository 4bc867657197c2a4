import { routeBody, typeAt } from './body-routing.ts';
import { CONNECTION_HEADER, connectionTarget, textAt } from './webhook-fields.ts';

export const shipstationWebhookRouting = routeBody({
  types: typeAt('resource_type'),
  targets: (body, { headers }) => [
    headers[CONNECTION_HEADER]
      ? connectionTarget(headers[CONNECTION_HEADER])
      : { property: 'metadata.storeId', value: storeOf(textAt(body, 'resource_url')) },
  ],
});

/** ShipStation spells the parameter `storeID`. */
function storeOf(address = ''): string | undefined {
  const parameters = [...(URL.parse(address)?.searchParams ?? [])];
  return parameters.find(([name]) => name.toLowerCase() === 'storeid')?.[1];
}
