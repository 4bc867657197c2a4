import { affinityWebhookRouting } from './affinity-routing.ts';
import { aircallWebhookRouting } from './aircall-routing.ts';
import { airtableWebhookRouting } from './airtable-routing.ts';
import { asanaWebhookRouting } from './asana-routing.ts';
import { attioWebhookRouting } from './attio-routing.ts';
import { autotaskWebhookRouting } from './autotask-routing.ts';
import { calComWebhookRouting } from './cal-com-routing.ts';
import { calendlyWebhookRouting } from './calendly-routing.ts';
import { checkrPartnerWebhookRouting } from './checkr-routing.ts';
import { connectwisePsaWebhookRouting } from './connectwise-psa-routing.ts';
import { docusignWebhookRouting } from './docusign-routing.ts';
import { fathomWebhookRouting } from './fathom-routing.ts';
import { filloutWebhookRouting } from './fillout-routing.ts';
import { firefliesWebhookRouting } from './fireflies-routing.ts';
import { folkWebhookRouting } from './folk-routing.ts';
import { frontWebhookRouting } from './front-routing.ts';
import { githubAppOauthWebhookRouting, githubAppWebhookRouting } from './github-routing.ts';
import { gitlabWebhookRouting } from './gitlab-routing.ts';
import { googleMailWebhookRouting } from './google-mail-routing.ts';
import { googleCalendarWebhookRouting, googleDriveWebhookRouting, googleWebhookRouting } from './google-routing.ts';
import { highlevelWebhookRouting } from './highlevel-routing.ts';
import { hubspotWebhookRouting } from './hubspot-routing.ts';
import { intercomWebhookRouting } from './intercom-routing.ts';
import { jiraWebhookRouting } from './jira-routing.ts';
import { jobberWebhookRouting } from './jobber-routing.ts';
import { jobdivaWebhookRouting } from './jobdiva-routing.ts';
import { linearWebhookRouting } from './linear-routing.ts';
import { microsoftWebhookRouting } from './microsoft-routing.ts';
import { microsoftTeamsWebhookRouting } from './microsoft-teams-routing.ts';
import { notionWebhookRouting } from './notion-routing.ts';
import { pagerdutyWebhookRouting } from './pagerduty-routing.ts';
import { quickbooksWebhookRouting } from './quickbooks-routing.ts';
import { salesforceWebhookRouting } from './salesforce-routing.ts';
import { sellsyWebhookRouting } from './sellsy-routing.ts';
import { sentryOauthWebhookRouting } from './sentry-routing.ts';
import { shipstationWebhookRouting } from './shipstation-routing.ts';
import { shopifyWebhookRouting } from './shopify-routing.ts';
import { slackWebhookRouting } from './slack-routing.ts';
import { streakWebhookRouting } from './streak-routing.ts';
import { stripeWebhookRouting } from './stripe-routing.ts';
import { unauthenticatedWebhookRouting } from './unauthenticated-routing.ts';
import { videoaskWebhookRouting } from './videoask-routing.ts';
import type { WebhookRouting } from './webhook-routing.ts';
import { xeroWebhookRouting } from './xero-routing.ts';
import { zoomWebhookRouting } from './zoom-routing.ts';

/** Routings by the name that a catalogue entry gives as `webhook_routing_script` (webhooks.md 2.5). */
export const WEBHOOK_ROUTINGS: ReadonlyMap<string, WebhookRouting> = new Map<string, WebhookRouting>(
  Object.entries({
    affinityWebhookRouting,
    aircallWebhookRouting,
    airtableWebhookRouting,
    asanaWebhookRouting,
    attioWebhookRouting,
    autotaskWebhookRouting,
    calComWebhookRouting,
    calendlyWebhookRouting,
    checkrPartnerWebhookRouting,
    connectwisePsaWebhookRouting,
    docusignWebhookRouting,
    fathomWebhookRouting,
    filloutWebhookRouting,
    firefliesWebhookRouting,
    folkWebhookRouting,
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
    intercomWebhookRouting,
    jiraWebhookRouting,
    jobberWebhookRouting,
    jobdivaWebhookRouting,
    linearWebhookRouting,
    microsoftTeamsWebhookRouting,
    microsoftWebhookRouting,
    notionWebhookRouting,
    pagerdutyWebhookRouting,
    quickbooksWebhookRouting,
    salesforceWebhookRouting,
    sellsyWebhookRouting,
    sentryOauthWebhookRouting,
    shipstationWebhookRouting,
    shopifyWebhookRouting,
    slackWebhookRouting,
    streakWebhookRouting,
    stripeWebhookRouting,
    unauthenticatedWebhookRouting,
    videoaskWebhookRouting,
    xeroWebhookRouting,
    zoomWebhookRouting,
  }),
);
