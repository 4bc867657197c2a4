import {
  credentialFieldsOf,
  type DashboardField,
  type ImportConnectionBody,
  type ProviderDetail,
} from '../../api/contract.ts';
import { fromInputValue } from '../../lib/shown-zone.ts';

/** Modes whose credentials can be typed in; the others need an authorization. */
const IMPORT_MODES = ['OAUTH2', 'OAUTH1', 'API_KEY', 'BASIC', 'NONE'] as const;
export type ImportMode = (typeof IMPORT_MODES)[number];

export const isImportMode = (mode: string): mode is ImportMode => (IMPORT_MODES as readonly string[]).includes(mode);

/** The provider's label of a field may be better than the mode's ("Personal access token"). */
export const credentialFields = (mode: ImportMode, provider: ProviderDetail): DashboardField[] =>
  credentialFieldsOf(mode, provider.credentialFields);

export interface ImportValues {
  connectionId: string;
  credentials: Record<string, string>;
  /** OAuth 2: whether and how the access token expires. */
  expiry: 'date' | 'never';
  expiresAt: string;
  config: Record<string, string>;
  userId: string;
  userName: string;
  userEmail: string;
  metadata: string;
}

const filled = (values: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));

/** The object in `text`; undefined for an empty text, null when it is not a JSON object. */
export function parseObject(text: string): Record<string, unknown> | undefined | null {
  if (text.trim() === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    // Not JSON: the form shows that at the field.
    return null;
  }
}

export function importBody(integrationKey: string, mode: ImportMode, values: ImportValues): ImportConnectionBody {
  const given = mode === 'BASIC' ? values.credentials : filled(values.credentials);
  const credentials: Record<string, unknown> = { type: mode, ...given };
  if (mode === 'OAUTH2') {
    if (values.expiry === 'never') credentials['no_expiration'] = true;
    else credentials['expires_at'] = fromInputValue(values.expiresAt);
  }
  const config = filled(values.config);
  const metadata = parseObject(values.metadata);
  return {
    provider_config_key: integrationKey,
    credentials,
    ...(values.connectionId === '' ? {} : { connection_id: values.connectionId }),
    ...(Object.keys(config).length === 0 ? {} : { connection_config: config }),
    ...(metadata ? { metadata } : {}),
    ...(values.userId === ''
      ? {}
      : { end_user: { id: values.userId, ...filled({ email: values.userEmail, display_name: values.userName }) } }),
  };
}
