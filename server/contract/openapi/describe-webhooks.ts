import { webhookTakenAnswer } from '../api/answers/general-answers.ts';
import { webhookParams, webhookQuery } from '../api/webhooks.ts';
import type { RouteDescription } from './route-description.ts';

export const WEBHOOK_ROUTES = {
  'POST /webhook/:environmentUuid/:providerConfigKey': {
    id: 'receiveWebhook',
    tag: 'Webhooks',
    summary: 'Take a webhook of a provider',
    details:
      'For providers, which sign what they send; any content type, up to 10 MB. Answers once the webhook is stored: ' +
      'handlers and forwarding are not waited for. A request without anything in it gets 204. The name of an ' +
      'environment stands for its UUID.',
    access: 'public',
    params: webhookParams,
    query: webhookQuery,
    unchecked: ['query'],
    answers: { 200: webhookTakenAnswer, 204: null },
    passesOn:
      'What the provider asks for: the answer of a handshake. Or `{"error": "<text>"}`: a signature that is missing ' +
      'or wrong (401), something that the webhook must hold (400), a failure of the hub (500).',
    errors: ['unknown_environment', [404, 'unknown_provider_config'], 'too_many_request'],
  },
} as const satisfies Record<string, RouteDescription>;
