import { routeBody, typeAt } from './body-routing.ts';
import { checkSignature, clientSecret, header } from './signature-checks.ts';
import { isBodyHmac } from './signatures.ts';
import { textAt } from './webhook-fields.ts';
import type { CompletedInstallation, ProviderWebhook, WebhookRouting } from './webhook-routing.ts';

const INSTALLATION_UUID = 'installation.uuid';

const routeEvent = routeBody({
  signature: checkSignature({
    find: header('sentry-hook-signature'),
    secrets: clientSecret,
    when: 'always',
    fits: ({ sent, secret, webhook }) => isBodyHmac(sent, secret, webhook),
  }),
  types: typeAt('action'),
  // Sentry's webhooks contain the uuid, and the installation stores it in the configuration under this flat key.
  targets: (body) => [
    { property: 'installation_id', value: textAt(body, 'installation.id') },
    { property: INSTALLATION_UUID, value: textAt(body, INSTALLATION_UUID) },
  ],
});

export const sentryOauthWebhookRouting: WebhookRouting = async (webhook, context) => {
  const result = await routeEvent(webhook, context);
  const installation = result.kind === 'handled' ? completedInstallation(webhook) : undefined;
  return result.kind === 'handled' && installation ? { ...result, installation } : result;
};

/** A waiting connection says who must install the app: by id or by name. */
function completedInstallation({ headers, body }: ProviderWebhook): CompletedInstallation | undefined {
  if (headers['sentry-hook-resource'] !== 'installation' || textAt(body, 'action') !== 'created') return undefined;
  const actor = [textAt(body, 'actor.id'), textAt(body, 'actor.name')].filter((value) => value !== undefined);
  const uuid = textAt(body, INSTALLATION_UUID) ?? textAt(body, 'data.installation.uuid');
  const code = textAt(body, 'data.installation.code');
  if (actor.length === 0 || uuid === undefined) return undefined;
  return { where: { actor }, config: { [INSTALLATION_UUID]: uuid }, ...(code === undefined ? {} : { code }) };
}
