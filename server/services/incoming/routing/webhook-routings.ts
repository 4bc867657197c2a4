import { namedConnection } from './body-routing.ts';
import { BODY_ROUTINGS } from './body-routings.ts';
import {
  frontWebhookRouting,
  highlevelWebhookRouting,
  hubspotWebhookRouting,
  microsoftWebhookRouting,
  quickbooksWebhookRouting,
  slackWebhookRouting,
  zoomWebhookRouting,
} from './customer-tool-routings.ts';
import {
  googleCalendarWebhookRouting,
  googleDriveWebhookRouting,
  googleMailWebhookRouting,
  googleWebhookRouting,
} from './google-routings.ts';
import { textAt } from './webhook-fields.ts';
import type { WebhookRouting } from './webhook-routing.ts';
import {
  asanaWebhookRouting,
  connectwisePsaWebhookRouting,
  docusignWebhookRouting,
  githubAppOauthWebhookRouting,
  githubAppWebhookRouting,
  gitlabWebhookRouting,
  jiraWebhookRouting,
  sentryOauthWebhookRouting,
} from './work-tool-routings.ts';

/** Routings by the name in a catalogue entry's `webhook_routing_script` (webhooks.md 2.5). */
export const WEBHOOK_ROUTINGS: ReadonlyMap<string, WebhookRouting> = new Map<string, WebhookRouting>(
  Object.entries({
    ...BODY_ROUTINGS,
    asanaWebhookRouting,
    connectwisePsaWebhookRouting,
    docusignWebhookRouting,
    frontWebhookRouting,
    githubAppOauthWebhookRouting,
    githubAppWebhookRouting,
    gitlabWebhookRouting,
    googleCalendarWebhookRouting,
    googleDriveWebhookRouting,
    googleMailWebhookRouting,
    googleWebhookRouting,
    highlevelWebhookRouting,
    hubspotWebhookRouting,
    jiraWebhookRouting,
    microsoftWebhookRouting,
    quickbooksWebhookRouting,
    sentryOauthWebhookRouting,
    slackWebhookRouting,
    zoomWebhookRouting,
  }),
);

const TYPE_FIELDS = ['type', 'event', 'event_type', 'topic'];

/** For providers without their own routing (webhooks.md 2.5): the sender names the connection. */
export const genericRouting: WebhookRouting = (webhook) => {
  const { body } = webhook;
  const type = TYPE_FIELDS.map((field) => textAt(body, field)).find((text) => text !== undefined);
  return {
    kind: 'handled',
    forward: body,
    events: [
      {
        targets: [{ property: 'connectionId', value: namedConnection(webhook) }],
        types: type === undefined ? [] : [type],
        payload: body,
      },
    ],
  };
};
