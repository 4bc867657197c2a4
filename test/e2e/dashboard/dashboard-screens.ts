import type { Page } from 'playwright-core';
import type { DashboardFixture } from '../../support/dashboard-fixture-server.ts';

const CONNECTION = '/app/dev/connections/:connection';

/** Every screen with the panels that its address can open; `:connection` is the first of the list. */
export const SCREENS: ReadonlyArray<readonly [name: string, path: string]> = [
  ['overview', '/app/dev'],
  ['integrations', '/app/dev/integrations'],
  ['provider catalogue', '/app/dev/integrations/create'],
  ['new integration', '/app/dev/integrations/create/hubspot'],
  ['new provider', '/app/dev/integrations/define'],
  ['functions of an integration', '/app/dev/integrations/hubspot'],
  ['templates of an integration', '/app/dev/integrations/hubspot/templates?template=fetch-contacts&type=sync'],
  ['connections of an integration', '/app/dev/integrations/hubspot/connections'],
  ['logs of an integration', '/app/dev/integrations/hubspot/logs'],
  ['webhooks of an integration', '/app/dev/integrations/hubspot/webhooks'],
  ['settings of an integration', '/app/dev/integrations/hubspot/settings'],
  ['functions', '/app/dev/functions'],
  ['new function', '/app/dev/functions/create?integration=hubspot'],
  ['new functions from OpenAPI', '/app/dev/functions/create?integration=hubspot&start=openapi'],
  ['a function', '/app/dev/integrations/hubspot/functions/fetch-contacts?type=sync'],
  ['connections', '/app/dev/connections'],
  ['new connection', '/app/dev/connections/create'],
  ['authorization of a connection', CONNECTION],
  ['syncs of a connection', `${CONNECTION}/syncs`],
  ['a sync of a connection', `${CONNECTION}/syncs?sync=fetch-deals&view=page`],
  ['models of a connection', `${CONNECTION}/records`],
  ['activity of a connection', `${CONNECTION}/activity`],
  ['settings of a connection', `${CONNECTION}/settings`],
  ['records', `${CONNECTION}/records/Invoice`],
  ['a record', `${CONNECTION}/records/Invoice?record=INV-20418`],
  ['history of a record', `${CONNECTION}/records/Invoice?record=INV-20418&tab=history`],
  ['logs', '/app/dev/logs'],
  ['logs with a query', '/app/dev/logs?search=state%3Abroken%20-type%3Async&states=failed'],
  ['an operation', '/app/dev/logs?operationId=op-4'],
  ['requests of an operation', '/app/dev/logs?operationId=op-4&tab=requests'],
  ['records of an operation', '/app/dev/logs?operationId=op-4&tab=records'],
  ['an operation as JSON', '/app/dev/logs?operationId=op-4&tab=raw'],
  ['webhooks from providers', '/app/dev/webhooks'],
  ['webhooks to the app', '/app/dev/webhooks?direction=outgoing'],
  ['query', '/app/dev/query'],
  ['destinations', '/app/dev/destinations'],
  ['playground', '/app/dev/playground'],
  ['API reference', '/app/dev/api'],
  ['apps and keys', '/app/dev/apps'],
  ['Agents', '/app/dev/agents'],
  ['notifications', '/app/dev/notifications'],
  ['settings', '/app/dev/environment-settings'],
  ['general settings of this computer', '/app/settings/general'],
  ['appearance', '/app/settings/appearance'],
  ['data and backups', '/app/settings/data'],
  ['vault', '/app/settings/vault'],
  ['import', '/app/dev/import'],
  ['export', '/app/dev/export'],
  ['callback address', '/app/dev/callback'],
  ['first run', '/app/dev/getting-started?step=choose'],
  ['an address that leads nowhere', '/app/dev/nowhere'],
  ['quick panel', '/app/dev/quick'],
  ['documentation', '/app/docs'],
  ['a page of the documentation', '/app/docs/records'],
];

/** The fixture server's address for the path of a screen. */
export function screenAddress({ url, state }: DashboardFixture, path: string): string {
  const { integrationKey = '', connectionId = '' } = state.connections[0]?.detail ?? {};
  return url + path.replace(':connection', `${integrationKey}/${encodeURIComponent(connectionId)}`);
}

/** Placeholders for data or parts of the page that are loading. */
export const BUSY_PARTS = '[aria-busy=true], .mantine-Skeleton-root';

/** A loading state is not one of the states of a screen. */
export async function untilFilled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor();
  await page.locator(BUSY_PARTS).first().waitFor({ state: 'detached' });
}
