import type { ProviderDefinition } from '../integrations/catalog/entry-schema.ts';
import { PRACTICE_DEMO_KEY } from './practice-key.ts';

/** The catalogue entry of the practice provider for a given address (format: providers.md). */
export function practiceProviderEntry(address: string) {
  return {
    display_name: 'Practice tracker',
    categories: ['ticketing', 'dev-tools'],
    auth_mode: 'API_KEY',
    docs: `${address}/docs`,
    proxy: {
      base_url: address,
      headers: { authorization: 'Bearer ${apiKey}' },
      retry: { after: 'retry-after' },
      paginate: {
        type: 'cursor',
        cursor_path_in_response: 'next_cursor',
        cursor_name_in_request: 'cursor',
        response_path: 'issues',
        limit_name_in_request: 'limit',
        limit: 50,
      },
      verification: { method: 'GET', endpoints: ['/v1/me'] },
    },
    credentials: {
      apiKey: {
        type: 'string',
        title: 'API key',
        description: `Any key that starts with "practice-", for example ${PRACTICE_DEMO_KEY}.`,
        example: PRACTICE_DEMO_KEY,
        pattern: '^practice-\\S+$',
        secret: true,
      },
    },
  } satisfies ProviderDefinition;
}
