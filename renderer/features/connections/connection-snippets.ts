import type { LanguageSnippet } from '../../components/code/SnippetBox.tsx';
import { shellWord } from '../../lib/shell-word.ts';

interface Target {
  /** Base address of the public API. */
  apiUrl: string;
  integrationKey: string;
  connectionId: string;
}

/** A string literal of JavaScript and of Python. */
const literal = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** A call of the provider's API with the connection's credentials; the key is read from the environment. */
export function proxySnippets({ apiUrl, integrationKey, connectionId }: Target): LanguageSnippet[] {
  return [
    {
      language: 'curl',
      code: [
        `curl ${shellWord(`${apiUrl}/proxy/path/at/the/provider`)}`,
        '-H "Authorization: Bearer $HOMEPORT_SECRET_KEY"',
        `-H ${shellWord(`Provider-Config-Key: ${integrationKey}`)}`,
        `-H ${shellWord(`Connection-Id: ${connectionId}`)}`,
      ].join(' \\\n  '),
    },
    {
      language: 'Node',
      code: `import { Nango } from '@nangohq/node';

const homeport = new Nango({
  host: ${literal(apiUrl)},
  apiKey: process.env.HOMEPORT_SECRET_KEY,
});

const { data } = await homeport.get({
  endpoint: '/path/at/the/provider',
  providerConfigKey: ${literal(integrationKey)},
  connectionId: ${literal(connectionId)},
});`,
    },
    {
      language: 'Python',
      code: `import os
import requests

response = requests.get(
    ${literal(`${apiUrl}/proxy/path/at/the/provider`)},
    headers={
        'Authorization': f"Bearer {os.environ['HOMEPORT_SECRET_KEY']}",
        'Provider-Config-Key': ${literal(integrationKey)},
        'Connection-Id': ${literal(connectionId)},
    },
)
response.raise_for_status()
data = response.json()`,
    },
  ];
}

/** Reads the connection with its current token. */
export function credentialSnippets({ apiUrl, integrationKey, connectionId }: Target): LanguageSnippet[] {
  const address = `${apiUrl}/connections/${encodeURIComponent(connectionId)}?provider_config_key=${encodeURIComponent(integrationKey)}`;
  return [
    {
      language: 'curl',
      code: `curl ${shellWord(address)} \\\n  -H "Authorization: Bearer $HOMEPORT_SECRET_KEY"`,
    },
    {
      language: 'Node',
      code: `import { Nango } from '@nangohq/node';

const homeport = new Nango({
  host: ${literal(apiUrl)},
  apiKey: process.env.HOMEPORT_SECRET_KEY,
});

const { credentials } = await homeport.getConnection(
  ${literal(integrationKey)},
  ${literal(connectionId)},
);`,
    },
    {
      language: 'Python',
      code: `import os
import requests

response = requests.get(
    ${literal(address)},
    headers={'Authorization': f"Bearer {os.environ['HOMEPORT_SECRET_KEY']}"},
)
response.raise_for_status()
credentials = response.json()['credentials']`,
    },
  ];
}
