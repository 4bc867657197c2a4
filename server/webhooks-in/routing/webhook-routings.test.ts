import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { type BuiltinCatalog, buildCatalogFrom } from '../../integrations/catalog/builtin-catalog.ts';
import { STEP_NAMES } from '../../lifecycle/provider-steps/provider-steps.ts';
import { WEBHOOK_ROUTINGS } from './webhook-routings.ts';

const FOLDER = fileURLToPath(new URL('../../integrations/catalog/providers', import.meta.url));
const handlers = new Set([...STEP_NAMES, ...WEBHOOK_ROUTINGS.keys()]);

describe('the routings of webhooks', () => {
  let catalog: BuiltinCatalog;

  beforeAll(async () => {
    // Throws when an entry names a handler that does not exist.
    catalog = await buildCatalogFrom(FOLDER, handlers);
  });

  it('are named after what they do', () => {
    expect([...WEBHOOK_ROUTINGS.keys()].filter((name) => !/^[a-z]\w+WebhookRouting$/.test(name))).toEqual([]);
  });

  it('are what the catalogue names', () => {
    const routingOf = (provider: string) => catalog.get(provider)?.webhook_routing_script;

    expect(routingOf('slack')).toBe('slackWebhookRouting');
    // It differs from the routing of its alias.
    expect(routingOf('google-mail')).toBe('googleMailWebhookRouting');
    expect(routingOf('google')).toBe('googleWebhookRouting');
  });

  it('are missed where the catalogue names one that there is not', async () => {
    const known = new Set([...handlers].filter((name) => name !== 'notionWebhookRouting'));

    await expect(buildCatalogFrom(FOLDER, known)).rejects.toThrow(
      /notion\.webhook_routing_script: names no built-in handler/,
    );
  });

  it('that take a connection’s id from the address get it', () => {
    const taking = ['asanaWebhookRouting', 'gitlabWebhookRouting', 'stripeWebhookRouting'];
    const entries = [...catalog.values()].filter(({ webhook_routing_script: name }) => taking.includes(name ?? ''));

    expect(entries).toHaveLength(5);
    for (const entry of entries) expect(entry.webhook_allowed_query_params).toEqual(['nangoConnectionId']);
  });
});
