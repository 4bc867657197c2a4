import { type MaybeTypes, routeBody } from './body-routing.ts';
import { namedConnection } from './named-connection.ts';
import { hmacHeader, webhookSecret } from './signature-checks.ts';
import { connectionTarget, listAt, textAt } from './webhook-fields.ts';

/** Intuit replaces its own format of notifications with a list of CloudEvents; both are accepted. */
export const quickbooksWebhookRouting = routeBody({
  signature: hmacHeader({
    header: 'intuit-signature',
    encoding: 'base64',
    secrets: webhookSecret,
    when: 'secret-is-set',
  }),
  items: (body) => (Array.isArray(body) ? body : listAt(body, 'eventNotifications')),
  types: typesOf,
  targets: (notice, webhook) => [
    connectionTarget(namedConnection(webhook)),
    { property: 'realmId', value: textAt(notice, 'realmId') ?? textAt(notice, 'intuitaccountid') },
  ],
});

/** The type of a CloudEvent; for the older format `<entity>.<operation>`, such as `Customer.Create`. */
function typesOf(notice: unknown): MaybeTypes {
  const changes = listAt(notice, 'dataChangeEvent.entities').map((entity) => {
    const [name, operation] = [textAt(entity, 'name'), textAt(entity, 'operation')];
    return name === undefined || operation === undefined ? undefined : `${name}.${operation}`;
  });
  return [...new Set([textAt(notice, 'type'), ...changes])];
}
