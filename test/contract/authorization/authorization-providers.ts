import { generateKeyPairSync } from 'node:crypto';
import type { FakeProvider } from '../../support/fake-provider.ts';

/** Providers of every mode that needs no page of the provider, named `own-<mode>`, all at one address. */
export function authorizationProviders(address: string): string {
  return `
own-key:
  display_name: Own API key
  auth_mode: API_KEY
  credentials:
    apiKey: { type: string, title: Key, description: The key, secret: true }
  proxy:
    base_url: "${address}"
    headers: { x-own-key: "\${apiKey}" }
    verification: { endpoints: [/check-key] }
own-basic:
  display_name: Own Basic
  auth_mode: BASIC
  proxy: { base_url: "${address}", verification: { endpoints: [/check-basic] } }
own-none:
  display_name: Own without credentials
  auth_mode: NONE
  proxy: { base_url: "${address}" }
own-cc:
  display_name: Own client credentials
  auth_mode: OAUTH2_CC
  token_url: ${address}/cc/\${connectionConfig.tenant}/token
  token_params: { grant_type: client_credentials, audience: "\${connectionConfig.tenant}" }
  token_response_metadata: [instance.url]
  connection_configuration: [tenant]
  proxy: { base_url: "${address}" }
own-two-step:
  display_name: Own two-step
  auth_mode: TWO_STEP
  token_url: ${address}/login
  token_params: { user: "\${credentials.username}", key: "\${credentials.partner_key}", pin: "\${credentials.assertionOption.pin}" }
  additional_steps:
    - { token_url: "${address}/session", token_params: { ticket: "\${step1.ticket}" } }
  token_response: { token: session.id, refresh_token: session.again, token_expiration: session.ends }
  token_response_headers: [set-cookie]
  token_response_metadata: [region]
  integration_config:
    partner_key: { type: string, title: Partner key, description: From the partner portal, secret: true }
  proxy: { base_url: "${address}", headers: { x-session: "\${accessToken}" } }
own-jwt:
  display_name: Own JWT
  auth_mode: JWT
  connection_configuration: [account]
  signature: { protocol: HMAC, hmac_secret_encoding: utf8 }
  token:
    signing_key: "\${credentials.privateKey.secret}"
    expires_in_ms: 3600000
    header: { alg: HS256, typ: JWT, kid: "\${credentials.privateKey.id}" }
    payload: { aud: /admin/, iss: "\${connectionConfig.account}" }
  proxy:
    base_url: "${address}"
    headers: { authorization: "Own \${accessToken}" }
    verification: { endpoints: [/check-jwt] }
own-tba:
  display_name: Own TBA
  auth_mode: TBA
  proxy: { base_url: "${address}", verification: { endpoints: [/check-tba] } }
own-bill:
  display_name: Own Bill
  auth_mode: BILL
  token_url: ${address}/bill/login
  proxy: { base_url: "${address}" }
own-signature:
  display_name: Own signature
  auth_mode: SIGNATURE
  signature: { protocol: WSSE }
  token: { expires_in_ms: 3600000 }
  proxy:
    base_url: "${address}"
    headers: { x-wsse: "\${accessToken}" }
    verification: { endpoints: [/check-signature] }
own-aws:
  display_name: Own AWS
  auth_mode: AWS_SIGV4
  credentials:
    role_arn: { type: string, title: Role, description: The ARN of the role }
  proxy: { base_url: "${address}" }
own-outbound:
  display_name: Own outbound
  auth_mode: OAUTH2
  installation: outbound
  authorization_url: ${address}/authorize
  token_url: ${address}/token
  proxy: { base_url: "${address}" }
own-device:
  display_name: Own device
  auth_mode: OAUTH2
  device_authorization_url: ${address}/device
  token_url: ${address}/token
  proxy: { base_url: "${address}" }
own-app:
  display_name: Own app
  auth_mode: APP
  token_url: ${address}/app/installations/\${connectionConfig.installation_id}/access_tokens
  proxy: { base_url: "${address}" }
own-oauth2:
  display_name: Own OAuth 2
  auth_mode: OAUTH2
  authorization_url: ${address}/authorize
  token_url: ${address}/token
  proxy: { base_url: "${address}" }
`;
}

const CLIENT = { client_id: 'app-client', client_secret: 'app-secret' };

/** Members with which the integrations of these providers are created, beside their names. */
export const INTEGRATION_PARTS: Record<string, object> = {
  'own-key': {},
  'own-basic': {},
  'own-none': {},
  'own-cc': {},
  'own-two-step': { integration_config: { partner_key: 'partner-key-1' } },
  'own-jwt': {},
  'own-tba': { credentials: { type: 'TBA', ...CLIENT } },
  'own-bill': {},
  'own-signature': {},
  'own-aws': {},
  'own-outbound': { credentials: { type: 'OAUTH2', ...CLIENT } },
  'own-device': { credentials: { type: 'OAUTH2', client_id: 'public-client' } },
  'own-app': {
    credentials: { type: 'APP', app_id: '4711', app_link: 'https://apps.example.test/own', private_key: newAppKey() },
  },
  'own-oauth2': { credentials: { type: 'OAUTH2', ...CLIENT } },
};

function newAppKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return privateKey.export({ type: 'pkcs1', format: 'pem' }).toString().trim();
}

/** Makes the provider accept any input; configurations need `tenant: acme`. */
export function acceptAll(provider: FakeProvider): void {
  for (const name of ['key', 'basic', 'jwt', 'tba', 'signature']) provider.on(`GET /check-${name}`, { body: {} });
  const ends = '2999-01-01T00:00:00Z';
  const code = { device_code: 'device-1', user_code: 'ABCD-1234', verification_uri: 'https://acme.test/device' };
  provider.on('POST /device', { body: { ...code, expires_in: 600 } });
  provider
    .on('POST /cc/acme/token', { body: { access_token: 'cc-token', expires_in: 3600 } })
    .on('POST /login', { body: { ticket: 't-1' } })
    .on('POST /session', { body: { session: { id: 's-1', again: 'r-1', ends } } })
    .on('POST /bill/login', { body: { sessionId: 's-1', userId: 'u-1' } })
    .on('POST /app/installations/77/access_tokens', { status: 201, body: { token: 'app-token', expires_at: ends } });
}
