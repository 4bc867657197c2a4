import { authModeName } from '../../../renderer/lib/auth-modes.ts';
import { needsOwnApp, type WayIn, waysIn } from '../../../server/integrations/catalog/ways-in.contract.ts';
import { REFERENCE, type WrittenPage, writeTable } from './written-page.ts';

/** The members of a catalogue entry that a page shows. */
interface Entry {
  display_name: string;
  auth_mode: string;
  alias?: string;
  categories?: string[];
  docs?: string;
  setup_guide_url?: string;
  setup_steps?: string[];
  search_terms?: string[];
  available_scopes?: string[];
  default_scopes?: string[];
  authorization_url?: string;
  device_authorization_url?: string;
  public_client?: boolean;
  registration_url?: string;
  client_registration?: 'dynamic' | 'static' | 'cimd';
  token_url?: string | Record<string, string>;
  connection_config?: Record<string, Field>;
  credentials?: Record<string, Field>;
  integration_config?: Record<string, Field>;
  webhook_routing_script?: string;
  webhook_user_defined_secret?: boolean;
  proxy?: {
    base_url?: string;
    paginate?: { type: string; limit_name_in_request?: string };
    retry?: { after?: string | string[]; at?: string | string[] };
    verification?: { endpoints: string[] };
  };
  programs?: { variables?: string[]; git?: { url: string } };
  confirmed_on?: string;
  confirmed_by?: string;
  unconfirmed?: string[];
}

interface Field {
  title?: string;
  description?: string;
  example?: string;
  prefix?: string;
  suffix?: string;
  optional?: boolean;
  hidden?: boolean;
  automated?: boolean;
}

/** The callback address of a hub without a public address. */
const CALLBACK = 'http://localhost:3003/oauth/callback';

const WAYS: Record<WayIn, string> = {
  none: 'nothing to enter: connect at once',
  key: 'a key or password of the account: connect at once',
  dynamic_registration: 'Homeport registers itself at the provider: connect at once',
  client_metadata_document: 'the provider reads a document about Homeport at your public address',
  device_authorization: 'a code that you enter at the provider; the app needs no callback address',
  public_client: 'an app of your own without a client secret',
  own_app: 'an app of your own at the provider',
};

/** The section of connect-an-account.md for each kind of credential. */
const SECTIONS: Record<string, string> = {
  API_KEY: 'api-key',
  BASIC: 'user-name-and-password',
  OAUTH2: 'oauth-2',
  OAUTH2_CC: 'client-credentials',
  OAUTH1: 'oauth-1',
  TWO_STEP: 'a-token-from-several-requests',
  JWT: 'signed-tokens',
  APP: 'github-apps',
  CUSTOM: 'github-apps',
  TBA: 'token-based-authentication',
  BILL: 'bill',
  MCP_OAUTH2: 'mcp-servers',
  MCP_OAUTH2_GENERIC: 'mcp-servers',
  NONE: 'nothing',
};

/** Asked for where an entry names no fields of its own (providers.md 2.4). */
const USUAL_FIELDS: Record<string, Record<string, Field>> = {
  API_KEY: { apiKey: { title: 'API key' } },
  BASIC: { username: { title: 'User name' }, password: { title: 'Password' } },
  OAUTH2_CC: { client_id: { title: 'Client ID' }, client_secret: { title: 'Client secret' } },
  TBA: { token_id: { title: 'Token ID' }, token_secret: { title: 'Token secret' } },
  BILL: {
    username: { title: 'User name' },
    password: { title: 'Password' },
    organization_id: { title: 'Organization ID' },
    dev_key: { title: 'Developer key' },
  },
};

/** One page a provider, and their list. Entries with an alias have the page of the other one's kind all the same. */
export function providerPages(
  catalogue: Record<string, Entry>,
  functionsOf: (provider: string) => string[],
): WrittenPage[] {
  const all = Object.entries(catalogue).sort(([, one], [, other]) =>
    one.display_name.localeCompare(other.display_name, 'en'),
  );
  return [listPage(all), ...all.map(([name, entry]) => providerPage(name, entry, functionsOf(name)))];
}

function listPage(all: ReadonlyArray<readonly [string, Entry]>): WrittenPage {
  const rows = all.map(([name, entry]) => [
    `[${entry.display_name}](providers/${name}.md)`,
    `\`${name}\``,
    authModeName(entry.auth_mode),
    needsOwnApp(entry) ? 'yes' : '',
  ]);
  return {
    name: 'providers',
    title: 'Providers',
    about: `the ${all.length} built-in providers: what to register, what to enter`,
    section: REFERENCE,
    text: `# Providers

${all.length} providers are built in. "Own app" says whether you register an app at the provider first. A provider that is missing needs a
few lines: [provider format](provider-format.md).

${writeTable(['Provider', 'Name', 'Signs in with', 'Own app'], rows)}
`,
  };
}

function providerPage(name: string, entry: Entry, functions: readonly string[]): WrittenPage {
  const { authorization_url: page, display_name: title, docs, setup_guide_url: guide, setup_steps: steps } = entry;
  const facts = [
    ['Name', `\`${name}\``],
    ['Signs in with', signInLink(entry)],
    [
      'Needs',
      waysIn(entry)
        .map((way) => WAYS[way])
        .join(', or '),
    ],
    ...(page ? [['Callback address', `\`${CALLBACK}\`; [others](../your-own-oauth-app.md#the-callback-address)`]] : []),
    ...fact('Scopes when you enter none', entry.default_scopes),
    ...fact('Scopes', entry.available_scopes),
    ...(entry.proxy?.base_url ? [['Requests go to', `\`${entry.proxy.base_url}\``]] : []),
    ...(entry.webhook_routing_script
      ? [
          [
            'Webhooks',
            entry.webhook_user_defined_secret
              ? 'checked and routed; enter the secret of the webhook in the integration'
              : 'routed to their connection',
          ],
        ]
      : []),
    ...(entry.proxy?.paginate ? [['Paging', pagingOf(entry.proxy.paginate)]] : []),
    ...fact(
      'Waits as long as this header says',
      [entry.proxy?.retry?.after ?? [], entry.proxy?.retry?.at ?? []].flat(),
    ),
    ...fact('Variables of `homeport run`', entry.programs?.variables),
    ...fact('Functions that ship with Homeport', functions),
    ['Checked', checkOf(entry)],
  ];
  const parts = [
    `# ${title}`,
    writeTable(['', ''], facts),
    ...(steps
      ? [
          '## Set up',
          ...(steps.some((step) => /\bhere\b/.test(step))
            ? [
                '"Here" is the form of the integration in the dashboard, or what `homeport integrations create` asks for.',
              ]
            : []),
          steps.map((step, index) => `${index + 1}. ${step.replaceAll('{callbackUrl}', `\`${CALLBACK}\``)}`).join('\n'),
        ]
      : []),
    ...fields('What to enter in the integration', entry.integration_config),
    ...fields('What each connection needs', {
      ...entry.connection_config,
      ...(entry.credentials ?? USUAL_FIELDS[entry.auth_mode]),
    }),
    '## Connect',
    connectText(name, entry),
    ...(docs || guide
      ? [
          `Documentation of the provider: ${[docs, guide]
            .filter((one) => one !== undefined)
            .map((one) => `<${one}>`)
            .join(', ')}`,
        ]
      : []),
  ];
  return {
    name: `providers/${name}`,
    title,
    about: `set up and connect: ${authModeName(entry.auth_mode)}${entry.search_terms ? `; ${entry.search_terms.join(', ')}` : ''}`,
    section: null,
    text: `${parts.join('\n\n')}\n`,
  };
}

function signInLink({ auth_mode: mode }: Entry): string {
  const section = SECTIONS[mode];
  const label = `${authModeName(mode)} (\`${mode}\`)`;
  return section === undefined ? label : `[${label}](../connect-an-account.md#${section})`;
}

const pagingOf = ({ type, limit_name_in_request: limit }: { type: string; limit_name_in_request?: string }): string =>
  `by ${type}, which \`nango.paginate\` knows${limit === undefined ? '' : `; page size in \`${limit}\``}`;

const SOURCES: Record<string, string> = { description: 'API description', recording: 'recorded answers' };

function checkOf({ confirmed_on: day, confirmed_by: by, unconfirmed = [] }: Entry): string {
  const checked =
    day === undefined
      ? "written from the provider's documentation, without a noted day"
      : `${day}, against its ${SOURCES[by ?? ''] ?? 'documentation'}`;
  return unconfirmed.length === 0 ? checked : `${checked}; not confirmed: ${unconfirmed.join(', ')}`;
}

const fact = (label: string, values: readonly string[] | undefined): string[][] =>
  values && values.length > 0 ? [[label, values.map((one) => `\`${one}\``).join(', ')]] : [];

function fields(heading: string, known: Record<string, Field> | undefined): string[] {
  const rows = Object.entries(known ?? {})
    .filter(([, { hidden, automated }]) => !hidden && !automated)
    .map(([name, field]) => [
      `${field.title ?? name} (\`${name}\`)`,
      field.optional ? '' : 'yes',
      `${field.description ?? ''} ${exampleOf(field)}`.trim(),
    ]);
  return rows.length === 0 ? [] : [`## ${heading}`, writeTable(['Field', 'Required', 'Meaning'], rows)];
}

function exampleOf({ example, prefix = '', suffix = '' }: Field): string {
  if (example === undefined) return '';
  return `For example \`${example}\`${prefix + suffix === '' ? '' : `, of \`${prefix}${example}${suffix}\``}.`;
}

function connectText(name: string, entry: Entry): string {
  const create = needsOwnApp(entry)
    ? `Create an integration under Integrations, New integration, "${entry.display_name}", or with \`homeport integrations create ${name}\`, and enter the client ID and the client secret of your app. Then:`
    : `Under Integrations choose "${entry.display_name}", or in a terminal:`;
  const body = { provider: name, unique_key: name };
  return `${create}

<!-- skip: signs in at the provider -->
\`\`\`sh
homeport connect ${name}
\`\`\`

The same for an app, which gets a link to the page on which its user connects:

<!-- skip: needs an integration with your own app -->
\`\`\`http
POST /connect/sessions

${JSON.stringify({ allowed_integrations: [body.unique_key], tags: { end_user_id: 'user-1' } }, null, 2)}
\`\`\``;
}
