import { routedEvent } from './body-routing.ts';
import { isSameText } from './signatures.ts';
import { INVALID_SIGNATURE, listAt, MISSING_SIGNATURE, textAt } from './webhook-fields.ts';
import type { RoutingContext, WebhookRouting } from './webhook-routing.ts';

/** Change notifications of Microsoft Graph. The secret is the `clientState` with which a subscription was created. */
export const microsoftWebhookRouting: WebhookRouting = ({ query, body }, context) => {
  const validationToken = query['validationToken'];
  if (validationToken !== undefined) return { kind: 'answered', contentType: 'text/plain', text: validationToken };
  const notices = listAt(body, 'value');
  const valid = notices.filter((notice) => isTrusted(notice, context));
  if (!expectsState(context)) context.onSignature?.(context.skipsSignature ? 'skipped' : 'unchecked');
  else context.onSignature?.(valid.length === 0 ? 'invalid' : 'valid');
  if (valid.length === 0 && expectsState(context)) {
    const hasState = notices.some((notice) => textAt(notice, 'clientState') !== undefined);
    return hasState ? INVALID_SIGNATURE : MISSING_SIGNATURE;
  }
  const events = valid.map((notice) =>
    routedEvent([textAt(notice, 'changeType')], [{ property: 'tenantId', value: textAt(notice, 'tenantId') }], notice),
  );
  return { kind: 'handled', events, forward: { value: valid } };
};

function expectsState({ integration, skipsSignature }: RoutingContext): boolean {
  return !skipsSignature && Boolean(integration.app.webhookSecret);
}

function isTrusted(notice: unknown, context: RoutingContext): boolean {
  if (!expectsState(context)) return true;
  return isSameText(textAt(notice, 'clientState') ?? '', context.integration.app.webhookSecret ?? '');
}
