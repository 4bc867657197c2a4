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
  proxy?: { base_url?: string };
  programs?: { variables?: string[]; git?: { url: string } };
  confirmed_on?: string;
}

interface Field {
  title?: string;
  description?: string;
  example?: string;
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

/** One page a provider, and their list. Entries with an alias have the page of the other one's kind all the same. */
export function providerPages(catalogue: Record<string, Entry>): WrittenPage[] {
  const all = Object.entries(catalogue);
  return [listPage(all), ...all.map(([name, entry]) => providerPage(name, entry))];
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
few lines: \`homeport providers import\` makes them from an API description.

${writeTable(['Provider', 'Name', 'Signs in with', 'Own app'], rows)}
`,
  };
}

function providerPage(name: string, entry: Entry): WrittenPage {
  const { authorization_url: page, display_name: title, docs, setup_guide_url: guide, setup_steps: steps } = entry;
  const facts = [
    ['Name', `\`${name}\``],
    ['Signs in with', `${authModeName(entry.auth_mode)} (\`${entry.auth_mode}\`)`],
    [
      'Needs',
      waysIn(entry)
        .map((way) => WAYS[way])
        .join('; '),
    ],
    ...(page ? [['Callback address', `\`${CALLBACK}\``]] : []),
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
    ...fact('Variables of `homeport run`', entry.programs?.variables),
  ];
  const parts = [
    `# ${title}`,
    writeTable(['', ''], facts),
    ...(steps
      ? [
          '## Set up',
          steps.map((step, index) => `${index + 1}. ${step.replaceAll('{callbackUrl}', `\`${CALLBACK}\``)}`).join('\n'),
        ]
      : []),
    ...fields('What to enter in the integration', entry.integration_config),
    ...fields('What each connection needs', { ...entry.connection_config, ...entry.credentials }),
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

const fact = (label: string, values: readonly string[] | undefined): string[][] =>
  values && values.length > 0 ? [[label, values.map((one) => `\`${one}\``).join(', ')]] : [];

function fields(heading: string, known: Record<string, Field> | undefined): string[] {
  const rows = Object.entries(known ?? {})
    .filter(([, { hidden, automated }]) => !hidden && !automated)
    .map(([name, { description = '', example, optional, title = name }]) => [
      `${title} (\`${name}\`)`,
      optional ? '' : 'yes',
      `${description}${example ? ` For example \`${example}\`.` : ''}`.trim(),
    ]);
  return rows.length === 0 ? [] : [`## ${heading}`, writeTable(['Field', 'Required', 'Meaning'], rows)];
}

function connectText(name: string, entry: Entry): string {
  const create = needsOwnApp(entry)
    ? `Create an integration under Integrations, New integration, "${entry.display_name}", and enter the client ID and the client secret of your app. Then:`
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
