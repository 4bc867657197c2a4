import type { CreateSessionBody, ReconnectSessionBody } from '../../contract/api/connect-sessions.ts';
import type { Issue } from '../../contract/issue.ts';
import { HomeportError } from '../../lib/homeport-error.ts';
import type { EndUserCopy } from '../../stores/connections-store.ts';
import { mergeTags, toEndUserCopy } from '../connections/connections-service.ts';
import type { ConfigDefaults, SessionContent } from './connect-session.ts';

/** The parts that both ways to make a session have. */
type SessionBody = Omit<CreateSessionBody, 'allowed_integrations'> | ReconnectSessionBody;

/** What a request asks for as it is kept; `stored` is the end user that the connection has already. */
export function toSessionContent(
  body: SessionBody,
  stored: EndUserCopy | null,
): Omit<SessionContent, 'allowedIntegrations'> {
  const endUser = endUserOf(body, stored);
  const changesTags = body.end_user !== undefined || body.organization !== undefined || body.tags !== undefined;
  const { defaults, webhookUrl } = takeWebhookUrl(body.integrations_config_defaults);
  return {
    endUser,
    tags: changesTags ? mergeTags(endUser ?? null, { ...organizationTags(body), ...body.tags }) : undefined,
    configDefaults: defaults,
    overrides: body.overrides,
    webhookUrlOverride: body.webhook_url_override ?? webhookUrl,
  };
}

/**
 * One issue for each member that names an integration which does not exist (http-api.md 6) or cannot be used: `known`
 * says why, by key.
 */
export function checkIntegrations(
  known: ReadonlyMap<string, string | undefined>,
  body: Pick<CreateSessionBody, 'allowed_integrations' | 'integrations_config_defaults' | 'overrides'>,
): void {
  const issues: Issue[] = [];
  const check = (uniqueKey: string, path: string[]): void => {
    const message = known.has(uniqueKey) ? known.get(uniqueKey) : `There is no integration "${uniqueKey}".`;
    if (message !== undefined) issues.push({ code: 'custom', message, path });
  };
  body.allowed_integrations?.forEach((key, index) => void check(key, ['allowed_integrations', String(index)]));
  for (const key of Object.keys(body.integrations_config_defaults ?? {}))
    check(key, ['integrations_config_defaults', key]);
  for (const key of Object.keys(body.overrides ?? {})) check(key, ['overrides', key]);
  if (issues.length > 0) throw new HomeportError('invalid_body', issues[0]?.message ?? '', { issues });
}

function endUserOf(
  { end_user: input, organization }: SessionBody,
  stored: EndUserCopy | null,
): EndUserCopy | undefined {
  if (!input) return undefined;
  const copy = toEndUserCopy(input, stored);
  return organization
    ? { ...copy, organization: { id: organization.id, displayName: organization.display_name ?? null } }
    : copy;
}

/** Without an end user an organization still leaves its tags. */
function organizationTags({ end_user: endUser, organization }: SessionBody): Record<string, string> {
  if (endUser || !organization) return {};
  const { id, display_name: name } = organization;
  return { organization_id: id, ...(name ? { organization_display_name: name } : {}) };
}

/** `webhook_url` among the defaults is the older spelling of `webhook_url_override`. */
function takeWebhookUrl(sent: ConfigDefaults | undefined): {
  defaults: ConfigDefaults | undefined;
  webhookUrl: string | undefined;
} {
  if (!sent) return { defaults: undefined, webhookUrl: undefined };
  let found: string | undefined;
  const defaults: ConfigDefaults = {};
  for (const [key, { connection_config: config, ...rest }] of Object.entries(sent)) {
    if (!config) {
      defaults[key] = rest;
      continue;
    }
    const { webhook_url: webhookUrl, ...kept } = config;
    found ??= webhookUrl;
    defaults[key] = { ...rest, connection_config: kept };
  }
  return { defaults, webhookUrl: found };
}
