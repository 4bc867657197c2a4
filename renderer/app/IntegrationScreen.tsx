import { lazy } from 'react';
import { IntegrationPage } from '../features/integrations/IntegrationPage.tsx';

const Logs = lazy(async () => ({ default: (await import('../features/logs/LogExplorer.tsx')).LogExplorer }));
const Webhooks = lazy(async () => ({ default: (await import('../features/webhooks/WebhooksPage.tsx')).WebhookLists }));

/** An integration with lists of other screens as tabs. It stands here because screens never import each other. */
export function IntegrationScreen() {
  return <IntegrationPage logs={Logs} webhooks={Webhooks} />;
}
