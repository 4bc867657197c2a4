import { adobeUmapiPostConnection } from './adobe-umapi-steps.ts';
import { apolloCredentialsVerification } from './apollo-steps.ts';
import { atlassianPostConnection, confluencePostConnection, jiraPostConnection } from './atlassian-steps.ts';
import { attioPostConnection } from './attio-steps.ts';
import { awsCredentialsVerification } from './aws-steps.ts';
import { azureDevopsCredentialsVerification } from './azure-devops-steps.ts';
import { basecampPostConnection } from './basecamp-steps.ts';
import { bitdefenderCredentialsVerification } from './bitdefender-steps.ts';
import { bullhornPostConnection } from './bullhorn-steps.ts';
import { calendlyPostConnection } from './calendly-steps.ts';
import { candisPostConnection } from './candis-steps.ts';
import { checkrPartnerPostConnection } from './checkr-steps.ts';
import { docusignPostConnection } from './docusign-steps.ts';
import { expensifyCredentialsVerification } from './expensify-steps.ts';
import { githubAppOauthPostConnection } from './github-steps.ts';
import { googleCalendarPostConnection, googleMailPostConnection } from './google-steps.ts';
import { gustoPostConnection } from './gusto-steps.ts';
import { highlevelPostConnection } from './highlevel-steps.ts';
import { hubspotPostConnection, hubspotPreConnectionDeletion } from './hubspot-steps.ts';
import { intercomPreConnectionDeletion } from './intercom-steps.ts';
import { jobberPostConnection } from './jobber-steps.ts';
import { lastpassCredentialsVerification } from './lastpass-steps.ts';
import { linearPostConnection, linearPreConnectionDeletion } from './linear-steps.ts';
import { mailchimpPostConnection } from './mailchimp-steps.ts';
import {
  microsoftTeamsBotPostConnection,
  microsoftTeamsPostConnection,
  sharepointPostConnection,
} from './microsoft-steps.ts';
import { oneloginPreConnectionDeletion } from './onelogin-steps.ts';
import { procorePostConnection } from './procore-steps.ts';
import { pushpayChmsV1CredentialsVerification } from './pushpay-steps.ts';
import { ripplingShopAppPostConnection } from './rippling-steps.ts';
import { sage200PostConnection } from './sage-200-steps.ts';
import { sellsyPostConnection } from './sellsy-steps.ts';
import { sentryOauthPostConnection } from './sentry-steps.ts';
import { skioCredentialsVerification } from './skio-steps.ts';
import { snipeItCredentialsVerification } from './snipe-it-steps.ts';
import { snowflakePostConnection } from './snowflake-steps.ts';
import { sophosCentralPostConnection } from './sophos-steps.ts';
import type { PostConnectionStep, PreDeletionStep, VerificationStep } from './step-context.ts';
import { undocumentedVerification } from './undocumented-verification.ts';
import { workablePostConnection } from './workable-steps.ts';
import { xeroPostConnection } from './xero-steps.ts';
import { zohoPostConnection } from './zoho-steps.ts';

/** Steps by the name that a catalogue entry gives as `post_connection_script` (auth-and-connect.md 3.11). */
export const POST_CONNECTION_STEPS: ReadonlyMap<string, PostConnectionStep> = new Map(
  Object.entries({
    adobeUmapiPostConnection,
    atlassianPostConnection,
    attioPostConnection,
    basecampPostConnection,
    bullhornPostConnection,
    calendlyPostConnection,
    candisPostConnection,
    checkrPartnerPostConnection,
    confluencePostConnection,
    docusignPostConnection,
    githubAppOauthPostConnection,
    googleCalendarPostConnection,
    googleMailPostConnection,
    gustoPostConnection,
    highlevelPostConnection,
    hubspotPostConnection,
    jiraPostConnection,
    jobberPostConnection,
    linearPostConnection,
    mailchimpPostConnection,
    microsoftTeamsBotPostConnection,
    microsoftTeamsPostConnection,
    oneDrivePostConnection: sharepointPostConnection,
    procorePostConnection,
    ripplingShopAppPostConnection,
    sage200PostConnection,
    sellsyPostConnection,
    sentryOauthPostConnection,
    sharepointOnlinePostConnection: sharepointPostConnection,
    snowflakePostConnection,
    sophosCentralPostConnection,
    workablePostConnection,
    xeroPostConnection,
    zohoPostConnection,
  }),
);

/** Steps by the name that a catalogue entry gives as `pre_connection_deletion_script` (auth-and-connect.md 3.11). */
export const PRE_DELETION_STEPS: ReadonlyMap<string, PreDeletionStep> = new Map(
  Object.entries({
    hubspotPreConnectionDeletion,
    intercomPreConnectionDeletion,
    linearPreConnectionDeletion,
    oneloginPreConnectionDeletion,
  }),
);

/** Steps by the name that a catalogue entry gives as `credentials_verification_script` (providers.md 9). */
export const VERIFICATION_STEPS: ReadonlyMap<string, VerificationStep> = new Map(
  Object.entries({
    apolloCredentialsVerification,
    awsIamCredentialsVerification: awsCredentialsVerification,
    awsInspector2CredentialsVerification: awsCredentialsVerification,
    azureDevopsCredentialsVerification,
    bitdefenderCredentialsVerification,
    cdwCredentialsVerification: undocumentedVerification,
    expensifyCredentialsVerification,
    lastpassCredentialsVerification,
    pushpayChmsV1CredentialsVerification,
    skioCredentialsVerification,
    snipeItCredentialsVerification,
    vantageApparelCredentialsVerification: undocumentedVerification,
  }),
);

/** Every name above; with the names of webhook routing, what a catalogue entry may name as a handler. */
export const STEP_NAMES: ReadonlySet<string> = new Set([
  ...POST_CONNECTION_STEPS.keys(),
  ...PRE_DELETION_STEPS.keys(),
  ...VERIFICATION_STEPS.keys(),
]);
