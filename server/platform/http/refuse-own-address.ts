import type { CreateSessionBody } from '../../authorization/connect-sessions.contract.ts';
import type { Issue } from '../../contract/issue.ts';
import type { SettingsBody } from '../../environments/environment.contract.ts';
import { HomeportError } from '../lib/homeport-error.ts';
import { isOwnAddress, type OwnAddresses } from '../lib/own-address.ts';

/** Refuses the hub's own address for webhooks. Sending to it would fail later; the author should learn it now. */
export function refuseOwnAddress(
  urls: Array<{ path: string[]; url: string | null | undefined }>,
  own: OwnAddresses,
  wanted = 'your app',
): void {
  const issues: Issue[] = urls
    .filter(({ url }) => url && isOwnAddress(url, own))
    .map(({ path }) => ({
      code: 'custom',
      message: `This is the address of Homeport itself. Enter the address of ${wanted}.`,
      path,
    }));
  if (issues.length > 0) throw new HomeportError('invalid_body', 'The request is not valid.', { issues });
}

export function refuseOwnWebhooks({ webhook }: Pick<SettingsBody, 'webhook'>, own: OwnAddresses): void {
  const names = ['primary_url', 'secondary_url'] as const;
  refuseOwnAddress(
    names.map((name) => ({ path: ['webhook', name], url: webhook?.[name] })),
    own,
  );
}

export function refuseOwnCollector({ otlp_endpoint }: Pick<SettingsBody, 'otlp_endpoint'>, own: OwnAddresses): void {
  refuseOwnAddress([{ path: ['otlp_endpoint'], url: otlp_endpoint }], own, 'a collector');
}

export function refuseOwnApprovals({ approvals }: Pick<SettingsBody, 'approvals'>, own: OwnAddresses): void {
  refuseOwnAddress([{ path: ['approvals', 'url'], url: approvals?.url }], own, 'ntfy or of a webhook');
}

/** The hub's own addresses, to which a route may not send webhooks. */
export interface OwnAddressDeps {
  /** Origin of addresses that providers call, without a trailing slash. */
  publicBase: () => string;
  /** Origin of the dashboard for people on this computer. */
  dashboardUrl: () => string;
}

/** Checks the webhook address of one connection, in both spellings (http-api.md 1.5, 6). */
export function refuseOwnOverride(
  body: { webhook_url_override?: string | null | undefined } & Pick<CreateSessionBody, 'integrations_config_defaults'>,
  own: OwnAddressDeps,
): void {
  const defaults = Object.entries(body.integrations_config_defaults ?? {}).map(([key, value]) => ({
    path: ['integrations_config_defaults', key, 'connection_config', 'webhook_url'],
    url: value.connection_config?.webhook_url,
  }));
  refuseOwnAddress([{ path: ['webhook_url_override'], url: body.webhook_url_override }, ...defaults], {
    local: own.dashboardUrl(),
    public: own.publicBase(),
  });
}
