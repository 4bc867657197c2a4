import { createHash } from 'node:crypto';
import { matching, routeBody, typeIn } from './body-routing.ts';
import { hmacHeader, type SecretSource } from './signature-checks.ts';
import { textAt } from './webhook-fields.ts';
import type { CompletedInstallation, RoutingContext, WebhookRouting } from './webhook-routing.ts';

export const githubAppWebhookRouting = routeBody({
  signature: hmacHeader({
    header: 'x-hub-signature-256',
    encoding: 'hex',
    prefix: 'sha256=',
    secrets: githubSecrets(),
    when: 'always',
  }),
  types: typeIn('x-github-event'),
  targets: matching('installation.id', 'installation_id'),
});

/** An administrator's approval also completes the waiting connection of the user who requested the app. */
export const githubAppOauthWebhookRouting: WebhookRouting = async (webhook, context) => {
  const result = await githubAppWebhookRouting(webhook, context);
  if (result.kind !== 'handled') return result;
  const installation = completedInstallation(webhook.body, context);
  return installation ? { ...result, installation } : result;
};

function completedInstallation(body: unknown, context: RoutingContext): CompletedInstallation | undefined {
  const handle = textAt(body, 'requester.login');
  const installationId = textAt(body, 'installation.id');
  if (textAt(body, 'action') !== 'created' || handle === undefined || installationId === undefined) return undefined;
  return { where: { app_id: appIdOf(context), handle }, config: { installation_id: installationId } };
}

/** The secret that the person entered, or the one that the dashboard shows for the app. */
function githubSecrets(): SecretSource {
  return (context) => {
    const { privateKey, appLink, webhookSecret } = context.integration.app;
    if (!privateKey) return [webhookSecret];
    return [
      webhookSecret,
      createHash('sha256')
        .update(`${appIdOf(context)}${pemOf(privateKey)}${appLink ?? ''}`)
        .digest('hex'),
    ];
  };
}

function appIdOf({ integration: { app } }: RoutingContext): string {
  return app.appId ?? app.clientId ?? '';
}

/** Stored as base64 of the PEM; the PEM itself is accepted as well. */
function pemOf(privateKey: string): string {
  return privateKey.includes('-----BEGIN') ? privateKey : Buffer.from(privateKey, 'base64').toString();
}
