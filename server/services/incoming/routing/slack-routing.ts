import { parseJson } from '../../../lib/parse-json.ts';
import { routedEvent } from './body-routing.ts';
import { refuseUnsigned, versionedHeaders, webhookSecret } from './signature-checks.ts';
import { fieldsOf, refuse, textAt } from './webhook-fields.ts';
import type { ProviderWebhook, WebhookRouting } from './webhook-routing.ts';

/** The secret of an app that Slack calls "signing secret". */
const signature = versionedHeaders({
  header: 'x-slack-signature',
  timeHeader: 'x-slack-request-timestamp',
  secrets: webhookSecret,
  when: 'secret-is-set',
});

export const slackWebhookRouting: WebhookRouting = async (webhook, context) => {
  const refusal = await refuseUnsigned(signature, webhook, context);
  if (refusal) return refusal;
  const body = unwrap(webhook);
  const type = textAt(body, 'type');
  if (type === 'url_verification') {
    const challenge = textAt(body, 'challenge');
    return challenge === undefined
      ? refuse(400, 'The verification of the address has no challenge.')
      : { kind: 'answered', contentType: 'text/plain', text: challenge };
  }
  const teamId = textAt(body, 'team_id') ?? textAt(body, 'team.id');
  return {
    kind: 'handled',
    events: [routedEvent([type], [{ property: 'team.id', value: teamId }], { ...fieldsOf(body), teamId })],
    forward: body,
    // A dialog closes only on an empty answer.
    ...(type === 'view_submission' ? { answer: '' } : {}),
  };
};

/** Interactions are forms with JSON in the field `payload`; slash commands are plain forms. */
function unwrap({ headers, body }: ProviderWebhook): unknown {
  const payload = headers['content-type']?.includes('urlencoded') ? fieldsOf(body)['payload'] : undefined;
  return typeof payload === 'string' ? (parseJson(payload) ?? body) : body;
}
