import { z } from 'zod';
import { configFieldsSchema, credentialFieldsSchema } from './field-schema.ts';
import { AUTH_MODES, CATEGORIES, CONFIRMATIONS } from './provider-modes.ts';
import { paramMapSchema, proxySchema, textMapSchema } from './proxy-schema.ts';

const handlerName = z.string().regex(/^[a-zA-Z0-9_-]+$/, 'is not the name of a handler');
const names = z.array(z.string().min(1));
const address = z.string().min(1);
const texts = z.union([z.string(), z.array(z.string())]);

const tokenSchema = z.strictObject({
  signing_key: z.string().optional(),
  expires_in_ms: z.number().optional(),
  header: z.strictObject({ alg: z.string(), typ: z.string().optional(), kid: z.string().optional() }).optional(),
  payload: z.record(z.string(), texts).optional(),
  /** The provider takes the signed token once. */
  singleUse: z.boolean().optional(),
});

/**
 * Templates from which `${assertion}` is built; the lifetime is a number. SAML members have the names of its options.
 */
const assertionSchema = z.looseObject({
  type: z.enum(['saml', 'jwt']).optional(),
  /** PEM. Without it a SAML assertion is not signed. */
  key: z.string().optional(),
  lifetimeInSeconds: z.number().positive().optional(),
  /** The provider takes it once: it is built for each token request and not stored. */
  singleUse: z.boolean().optional(),
  header: z.record(z.string(), z.string()).optional(),
  payload: z.record(z.string(), texts).optional(),
  /** PEM certificate that is sent with the signature. */
  cert: z.string().optional(),
  issuer: z.string().optional(),
  nameIdentifier: z.string().optional(),
  nameIdentifierFormat: z.string().optional(),
  recipient: z.string().optional(),
  audiences: texts.optional(),
  attributes: z.record(z.string(), texts).optional(),
  sessionIndex: z.string().optional(),
  authnContextClassRef: z.string().optional(),
});

/** What command line programs of the provider expect (agents.md 8). */
const programsSchema = z.strictObject({
  /** Environment variables from which they read the token. */
  variables: z.array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'is not the name of a variable')).optional(),
  /** Further headers in which they send it; lower-case names. */
  headers: z.array(z.string().regex(/^[a-z0-9-]+$/, 'is not a header name in lower case')).optional(),
  /** Where git reads and writes over https, and the user name that goes with the token. */
  git: z.strictObject({ url: address, username: z.string().min(1) }).optional(),
});

const commonKeys = {
  display_name: z.string().min(1),
  categories: z.array(z.enum(CATEGORIES)).optional(),
  auth_mode: z.enum(AUTH_MODES),
  docs: z.url({ protocol: /^https?$/ }).optional(),
  docs_connect: z.url({ protocol: /^https?$/ }).optional(),
  setup_guide_url: z.url({ protocol: /^https?$/ }).optional(),
  /**
   * How to get an app or a key from the provider, one step per line. `{callbackUrl}` stands for the callback address.
   */
  setup_steps: z.array(z.string().min(1)).max(12).optional(),
  /** Whether tools that read return text by strangers; without it, the categories decide (agents.md 10). */
  untrusted_output: z.boolean().optional(),
  /** Where the provider documents the ways to connect that the entry claims. */
  ways_in_docs: z.array(z.url({ protocol: /^https$/ })).optional(),
  /** Other names under which people search for the provider. */
  search_terms: names.optional(),
  /** False: the keys in `unconfirmed` could not be checked against the provider's documentation. */
  confirmed: z.boolean().optional(),
  unconfirmed: names.optional(),
  /** The day of the last confirmation, and the way (providers.md 2.1). */
  confirmed_on: z.iso.date().optional(),
  confirmed_by: z.enum(CONFIRMATIONS).optional(),
  /** The provider's own API description (OpenAPI), with which the entry can be compared. */
  api_description_url: z.url({ protocol: /^https?$/ }).optional(),
  alias: z.string().optional(),
  installation: z.literal('outbound').optional(),
  connection_config: configFieldsSchema.optional(),
  credentials: credentialFieldsSchema.optional(),
  integration_config: configFieldsSchema.optional(),
  assertion_option: credentialFieldsSchema.optional(),
  connection_configuration: names.optional(),
  token_response_metadata: names.optional(),
  redirect_uri_metadata: names.optional(),
  webhook_response_metadata: names.optional(),
  proxy: proxySchema.optional(),
  pre_connection_creation_script: handlerName.optional(),
  post_connection_script: handlerName.optional(),
  pre_connection_deletion_script: handlerName.optional(),
  credentials_verification_script: handlerName.optional(),
  webhook_routing_script: handlerName.optional(),
  webhook_user_defined_secret: z.boolean().optional(),
  webhook_allowed_query_params: names.optional(),
  token_expiration_buffer: z.number().nonnegative().optional(),
  require_client_certificate: z.boolean().optional(),
  available_scopes: names.optional(),
  programs: programsSchema.optional(),
  logo: z.string().optional(),
};

const oauthKeys = {
  authorization_url: address.optional(),
  authorization_params: textMapSchema.optional(),
  authorization_url_replacements: textMapSchema.optional(),
  authorization_url_fragment: z.string().optional(),
  authorization_url_skip_encode: z.array(z.enum(['scopes', 'base_url'])).optional(),
  authorization_url_skip_empty: z.boolean().optional(),
  authorization_code_param_in_callback: z.string().optional(),
  authorization_code_param_in_webhook: z.string().optional(),
  /** Where the hub asks for a code that a person enters at the provider (RFC 8628). */
  device_authorization_url: address.optional(),
  device_authorization_params: textMapSchema.optional(),
  /** Name under which both requests of a sign-in with a code send the scopes; default `scope`, in the first one only. */
  device_scope_parameter: z.string().min(1).optional(),
  /** The provider accepts clients without a secret. */
  public_client: z.boolean().optional(),
  default_scopes: names.optional(),
  scope_separator: z.string().optional(),
  disable_pkce: z.boolean().optional(),
  token_url: z.union([address, z.record(z.string(), address)]).optional(),
  token_url_skip_encode: names.optional(),
  token_params: paramMapSchema.optional(),
  refresh_params: textMapSchema.optional(),
  refresh_url: address.optional(),
  authorization_method: z.literal('header').optional(),
  token_request_auth_method: z.enum(['basic', 'custom', 'private_key_jwt']).optional(),
  body_format: z.enum(['form', 'json', 'query', 'xml']).optional(),
  alternate_access_token_response_path: z.string().optional(),
  expires_in_unit: z.literal('milliseconds').optional(),
  request_url: address.optional(),
  request_params: textMapSchema.optional(),
  signature_method: z.enum(['HMAC-SHA1', 'RSA-SHA1', 'PLAINTEXT']).optional(),
  access_token_url: address.optional(),
  registration_url: address.optional(),
  /** The server of every connection (MCP_OAUTH2_GENERIC). */
  mcp_server_url: address.optional(),
  registration_params: textMapSchema.optional(),
  client_registration: z.enum(['dynamic', 'static', 'cimd']).optional(),
};

const tokenKeys = {
  signature: z
    .strictObject({
      protocol: z.enum(['RSA', 'HMAC', 'EC', 'WSSE']),
      hmac_secret_encoding: z.enum(['hex', 'utf8']).optional(),
    })
    .optional(),
  token: tokenSchema.optional(),
  token_request_method: z.enum(['GET', 'POST']).optional(),
  token_headers: textMapSchema.optional(),
  token_response: z
    .strictObject({
      token: z.string(),
      token_expiration: z.string().optional(),
      token_expiration_strategy: z.enum(['expireAt', 'expireIn']).optional(),
      refresh_token: z.string().optional(),
    })
    .optional(),
  token_expires_in_ms: z.number().nonnegative().optional(),
  refresh_token_params: paramMapSchema.optional(),
  refresh_token_headers: textMapSchema.optional(),
  additional_steps: z
    .array(
      z.strictObject({
        token_url: address,
        token_params: paramMapSchema.optional(),
        token_headers: textMapSchema.optional(),
        token_request_method: z.enum(['GET', 'POST']).optional(),
      }),
    )
    .optional(),
  token_response_headers: names.optional(),
  assertion: assertionSchema.optional(),
  auth_type: z.literal('BASIC').optional(),
};

/** Keys of the reference's format without effect here. They are accepted so that a copied entry loads. */
const inertKeys = {
  auth: z.unknown().optional(),
  decode_url: z.unknown().optional(),
  refresh_token_response_metadata: z.unknown().optional(),
  proxy_header_authorization: z.unknown().optional(),
  request_http_method: z.unknown().optional(),
  token_http_method: z.unknown().optional(),
};

/** The closed schema of one resolved entry (providers.md 2 and 3). Keys are wire names. */
export const entrySchema = z.strictObject({ ...commonKeys, ...oauthKeys, ...tokenKeys, ...inertKeys });

export type AssertionRules = z.infer<typeof assertionSchema>;

export type ProviderDefinition = z.infer<typeof entrySchema>;

/** `override`: a workspace entry with a built-in key, which is merged over the built-in entry or replaces it. */
export type EntrySource = 'builtin' | 'workspace' | 'override';

/** A resolved entry as `GET /providers` returns it, without `logo_url`. */
export type ProviderEntry = ProviderDefinition & { name: string; source: EntrySource };
