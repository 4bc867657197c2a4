/** A catalogue file of realistic large size: `count` entries of the usual kinds, about 1 kB each. */
export function generatedProviders(count: number): string {
  return Array.from({ length: count }, (_, at) => (at % 2 === 0 ? apiKeyEntry(at) : oauthEntry(at))).join('\n');
}

const field = (title: string) =>
  `{ type: string, title: ${title}, description: "Found under Settings of the account." }`;

const apiKeyEntry = (at: number): string => `own-${at}:
  display_name: Own ${at}
  categories: [crm, marketing]
  auth_mode: API_KEY
  docs: https://docs.own-${at}.test/api/getting-started
  setup_guide_url: https://docs.own-${at}.test/api/keys
  setup_steps:
    - Open Settings, API keys, and make a key that may read and write.
    - Copy the key at once; it is shown only this one time.
  proxy:
    base_url: https://\${connectionConfig.subdomain}.own-${at}.test/api/v2
    headers: { x-api-key: "\${apiKey}", accept: application/json }
    retry: { after: retry-after, error_code: ["429", 5xx] }
    paginate: { type: cursor, cursor_path_in_response: meta.next, cursor_name_in_request: cursor, response_path: data }
    verification: { method: GET, endpoints: [/me] }
  connection_config:
    subdomain: { type: string, title: Subdomain, description: The part before .own.test, pattern: "^[a-z0-9-]+$" }
  credentials:
    apiKey: ${field('API key')}
`;

const oauthEntry = (at: number): string => `own-${at}:
  display_name: Own ${at}
  categories: [productivity]
  auth_mode: OAUTH2
  docs: https://docs.own-${at}.test/api/getting-started
  setup_steps:
    - Open the developer console and make an app.
    - Enter {callbackUrl} as the redirect address.
    - Copy the client ID and the client secret.
  authorization_url: https://own-${at}.test/oauth/authorize
  authorization_params: { access_type: offline, prompt: consent }
  token_url: https://own-${at}.test/oauth/token
  default_scopes: [read, write, offline_access]
  scope_separator: ","
  proxy:
    base_url: https://api.own-${at}.test
    headers: { x-version: "2026-01-01", accept: application/json }
    retry: { at: x-ratelimit-reset }
    paginate: { type: link, link_path_in_response_body: next, response_path: items, limit_name_in_request: limit, limit: 100 }
`;
