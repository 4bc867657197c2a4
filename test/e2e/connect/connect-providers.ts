/** Providers of the page's tests: one for each kind of form. */
export const CONNECT_PROVIDERS = `
pager:
  display_name: PagerDuty
  auth_mode: API_KEY
  docs_connect: https://docs.example.test/pager
  credentials:
    apiKey:
      type: string
      title: API key
      description: 20 characters, from Integrations, API access keys.
      example: u+AbCdEfGhIjKlMnOpQr
      pattern: ^.{20}$
      secret: true
      doc_section: "#key"
  connection_config:
    subdomain:
      type: string
      title: Account subdomain
      description: The first part of the address you sign in at.
      pattern: ^[a-z0-9-]+$
      prefix: https://
      suffix: .pagerduty.com
      order: 1
  proxy: { base_url: "https://\${connectionConfig.subdomain}.pagerduty.com" }
sign-in:
  display_name: Linear
  auth_mode: OAUTH2
  authorization_url: https://provider.example.test/authorize
  token_url: https://provider.example.test/token
  proxy: { base_url: "https://provider.example.test" }
sign-in-region:
  display_name: Zendesk
  auth_mode: OAUTH2
  authorization_url: https://\${connectionConfig.subdomain}.zendesk.test/authorize
  token_url: https://\${connectionConfig.subdomain}.zendesk.test/token
  connection_config:
    subdomain: { type: string, title: Subdomain, description: Of your help centre., format: hostname, suffix: .zendesk.test }
    region: { type: string, title: Region, description: Where your data is kept., enum: [eu, us] }
    label: { type: string, title: Label, description: How you call this account., optional: true }
  proxy: { base_url: "https://\${connectionConfig.subdomain}.zendesk.test" }
login:
  display_name: Harbour
  auth_mode: BASIC
  credentials:
    username: { type: string, title: Key, description: Your key. }
    password: { type: string, title: Password, description: Not used., hidden: true, default_value: "" }
  proxy: { base_url: "https://harbour.example.test" }
client:
  display_name: Depot
  auth_mode: OAUTH2_CC
  token_url: https://depot.example.test/token
  proxy: { base_url: "https://depot.example.test" }
open:
  display_name: Open Weather
  auth_mode: NONE
  proxy: { base_url: "https://open.example.test" }
`;

/** Key and name of each integration in the tests' hub. */
export const CONNECT_INTEGRATIONS: Record<string, string> = {
  pager: 'PagerDuty',
  'sign-in': 'Linear',
  'sign-in-region': 'Zendesk',
  login: 'Harbour',
  client: 'Depot',
  open: 'Open Weather',
};
