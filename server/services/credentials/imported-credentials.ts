import type { ImportCredentials } from '../../contract/api/connections.ts';
import type { StoredCredentials } from './stored-credentials.ts';

/** What an import sends (http-api.md 4) as the document that is stored; `raw` is what was submitted. */
export function toStoredCredentials(sent: ImportCredentials, nowMs: number): StoredCredentials {
  switch (sent.type) {
    case 'OAUTH2':
      return fromOauth2(sent, nowMs);
    case 'OAUTH2_CC':
      return present({ ...sent, raw: sent });
    case 'OAUTH1':
      return {
        type: sent.type,
        oauth_token: sent.oauth_token,
        oauth_token_secret: sent.oauth_token_secret,
        raw: sent.raw ?? { ...sent },
      };
    case 'API_KEY':
      return { type: sent.type, apiKey: sent.apiKey ?? sent.api_key };
    case 'BASIC':
      return { type: sent.type, username: sent.username, password: sent.password };
    case 'TBA':
      return {
        type: sent.type,
        token_id: sent.token_id,
        token_secret: sent.token_secret,
        config_override: sent.config_override ?? {},
      };
    case 'NONE':
      return {};
    case 'APP':
    case 'CUSTOM':
      return { ...sent };
  }
}

function fromOauth2(sent: Extract<ImportCredentials, { type: 'OAUTH2' }>, nowMs: number): StoredCredentials {
  const lifetime = sent.expires_in;
  const expiresAt =
    sent.expires_at ?? (lifetime === undefined ? undefined : new Date(nowMs + lifetime * 1000).toISOString());
  const clientId = sent.config_override?.client_id ?? sent.oauth_client_id_override;
  const clientSecret = sent.config_override?.client_secret ?? sent.oauth_client_secret_override;
  const override = present({ client_id: clientId, client_secret: clientSecret });
  return present({
    type: sent.type,
    access_token: sent.access_token,
    refresh_token: sent.refresh_token,
    expires_at: expiresAt,
    raw: sent.raw ?? { ...sent },
    config_override: Object.keys(override).length > 0 ? override : undefined,
  });
}

function present(members: Record<string, unknown>): StoredCredentials {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
