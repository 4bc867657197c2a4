import { commonType, matchingNamed, routeBody } from './body-routing.ts';
import { BODY_ROUTINGS } from './body-routings.ts';
import { CHECKED_ADDRESS_ROUTINGS } from './checked-address-routings.ts';
import {
  frontWebhookRouting,
  highlevelWebhookRouting,
  hubspotWebhookRouting,
  microsoftTeamsWebhookRouting,
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
import { SIGNED_ROUTINGS } from './provider-signatures.ts';
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
    ...CHECKED_ADDRESS_ROUTINGS,
    ...SIGNED_ROUTINGS,
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
    microsoftTeamsWebhookRouting,
    microsoftWebhookRouting,
    quickbooksWebhookRouting,
    sentryOauthWebhookRouting,
    slackWebhookRouting,
    zoomWebhookRouting,
  }),
);

/** For providers without their own routing (webhooks.md 2.5): the sender names the connection. */
export const genericRouting: WebhookRouting = routeBody({ types: commonType, targets: matchingNamed });
