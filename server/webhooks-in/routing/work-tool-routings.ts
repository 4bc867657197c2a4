import { createHash } from 'node:crypto';
import { echoHeader } from './address-checks.ts';
import {
  matching,
  matchingId,
  matchingNamed,
  namedOrMatching,
  routeBody,
  secretsOfWebhook,
  typeAt,
  typeIn,
} from './body-routing.ts';
import {
  checkSignature,
  clientSecret,
  connectionSecrets,
  header,
  hmacHeader,
  hmacText,
  isBodyHmac,
  isSameText,
  type SecretSource,
  type SentSignature,
  type SignatureCheck,
  secretHeader,
  standardHeaders,
  webhookSecret,
} from './signature-checks.ts';
import {
  type CompletedInstallation,
  connectionIdOf,
  INVALID_SIGNATURE,
  listAt,
  MISSING_CONNECTION_ID,
  MISSING_SIGNATURE,
  type PropertyTarget,
  type ProviderWebhook,
  type RoutingContext,
  textAt,
  type WebhookRouting,
} from './webhook-routing.ts';

/**
 * Each webhook of Asana has its own secret. Its creator gets the secret in the response and stores it in the metadata of
 * the connection. A secret from the handshake is not used, because anyone can perform a handshake.
 */
export const asanaWebhookRouting = routeBody({
  handshake: echoHeader('x-hook-secret'),
  signature: hmacHeader({
    header: 'x-hook-signature',
    encoding: 'hex',
    secrets: secretsOfWebhook,
    when: 'secret-is-set',
  }),
  types: (body) => [...new Set(listAt(body, 'events').map(asanaTypeOf))],
  targets: matchingNamed,
});

/** For example `task.changed`. */
function asanaTypeOf(event: unknown): string | undefined {
  const [kind, action] = [textAt(event, 'resource.resource_type'), textAt(event, 'action')];
  return kind === undefined || action === undefined ? undefined : `${kind}.${action}`;
}

/**
 * The webhook contains the address of the key, and anyone may have sent it, so only the provider's hosts are allowed.
 */
const CONNECTWISE_KEY_HOSTS = '.myconnectwise.net';

const connectwiseSignature: SignatureCheck = async (webhook, context) => {
  const sent = webhook.headers['x-content-signature'];
  if (!sent) return MISSING_SIGNATURE;
  const keyUrl = textAt(webhook.body, 'Metadata.key_url');
  if (keyUrl === undefined || !isKeyAddress(keyUrl)) return INVALID_SIGNATURE;
  const signingKey = textAt((await context.fetchDocument(keyUrl)).json, 'signing_key');
  if (signingKey === undefined) return INVALID_SIGNATURE;
  const key = createHash('sha256').update(signingKey).digest();
  return isSameText(sent, hmacText({ encoding: 'base64' }, key, webhook.rawBody)) ? 'valid' : INVALID_SIGNATURE;
};

export const connectwisePsaWebhookRouting = routeBody({
  signature: connectwiseSignature,
  types: typeAt('Type'),
  targets: matching('ProductInstanceId', 'metadata.productInstanceId'),
});

function isKeyAddress(address: string): boolean {
  const url = URL.parse(address);
  return url?.protocol === 'https:' && url.port === '' && url.hostname.endsWith(CONNECTWISE_KEY_HOSTS);
}

const DOCUSIGN_SIGNATURE_HEADER = /^x-docusign-signature-\d+$/;

/** An account may have several keys; each one adds its own signature header, numbered from 1. */
export const docusignWebhookRouting = routeBody({
  signature: checkSignature({
    find: (webhook) => signaturesOf(webhook)[0],
    secrets: webhookSecret,
    when: 'secret-is-set',
    fits: hasSignatureOf,
  }),
  types: typeAt('event'),
  targets: namedOrMatching('data.accountId', 'accountId'),
});

function signaturesOf({ headers }: ProviderWebhook): string[] {
  return Object.entries(headers).flatMap(([name, value]) => (DOCUSIGN_SIGNATURE_HEADER.test(name) ? [value] : []));
}

function hasSignatureOf({ secret, webhook }: SentSignature): boolean {
  const expected = hmacText({ encoding: 'base64' }, secret, webhook.rawBody);
  return signaturesOf(webhook).some((signature) => isSameText(signature, expected));
}

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
  const installation = githubInstallation(webhook.body, context);
  return installation ? { ...result, installation } : result;
};

function githubInstallation(body: unknown, context: RoutingContext): CompletedInstallation | undefined {
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

const gitlabSecrets = connectionSecrets(connectionIdOf);
const gitlabToken = secretHeader({ header: 'x-gitlab-token', secrets: gitlabSecrets, when: 'secret-is-set' });
const gitlabSigned = standardHeaders({
  names: ['webhook'],
  secrets: gitlabSecrets,
  when: 'secret-is-set',
});

/** A webhook of GitLab has a signing secret, a plain token, or both; the metadata holds one of them. */
const gitlabSignature: SignatureCheck = async (webhook, context) => {
  const { 'webhook-signature': sent, 'x-gitlab-token': plain } = webhook.headers;
  if (!sent) return gitlabToken(webhook, context);
  const result = await gitlabSigned(webhook, context);
  return typeof result !== 'string' && plain ? gitlabToken(webhook, context) : result;
};

export const gitlabWebhookRouting = routeBody({
  requires: (webhook) => (connectionIdOf(webhook) ? undefined : MISSING_CONNECTION_ID),
  signature: gitlabSignature,
  types: typeIn('x-gitlab-event'),
  targets: matchingId(connectionIdOf),
});

/** Possible subjects of a webhook. Jira does not name the site, but each subject contains its own address. */
const JIRA_SUBJECTS = [
  'issue',
  'comment',
  'sprint',
  'board',
  'worklog',
  'version',
  'issueLink',
  'project',
  'attachment',
  'issuetype',
  'filter',
  'user',
];
const JIRA_CLOUD_SUFFIX = '.atlassian.net';

export const jiraWebhookRouting = routeBody({
  signature: hmacHeader({
    header: 'x-hub-signature',
    encoding: 'hex',
    prefix: 'sha256=',
    secrets: webhookSecret,
    when: 'secret-is-set',
  }),
  types: typeAt('webhookEvent'),
  targets: sitesOf,
});

/** Connections with a password know their site only by its subdomain. */
function sitesOf(body: unknown): PropertyTarget[] {
  const self = JIRA_SUBJECTS.map((subject) => textAt(body, `${subject}.self`)).find((address) => address !== undefined);
  const site = self === undefined ? null : URL.parse(self);
  const subdomain = site?.hostname.endsWith(JIRA_CLOUD_SUFFIX)
    ? site.hostname.slice(0, -JIRA_CLOUD_SUFFIX.length)
    : undefined;
  return [
    { property: 'baseUrl', value: site?.origin },
    { property: 'subdomain', value: subdomain },
  ];
}

const INSTALLATION_UUID = 'installation.uuid';

const routeSentryEvent = routeBody({
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
  const result = await routeSentryEvent(webhook, context);
  const installation = result.kind === 'handled' ? sentryInstallation(webhook) : undefined;
  return result.kind === 'handled' && installation ? { ...result, installation } : result;
};

/** A waiting connection says who must install the app: by id or by name. */
function sentryInstallation({ headers, body }: ProviderWebhook): CompletedInstallation | undefined {
  if (headers['sentry-hook-resource'] !== 'installation' || textAt(body, 'action') !== 'created') return undefined;
  const actor = [textAt(body, 'actor.id'), textAt(body, 'actor.name')].filter((value) => value !== undefined);
  const uuid = textAt(body, INSTALLATION_UUID) ?? textAt(body, 'data.installation.uuid');
  const code = textAt(body, 'data.installation.code');
  if (actor.length === 0 || uuid === undefined) return undefined;
  return { where: { actor }, config: { [INSTALLATION_UUID]: uuid }, ...(code === undefined ? {} : { code }) };
}
