import {
  ConnectApi,
  type OfferedIntegration,
  type OfferedProvider,
  type OpenConnectSession,
} from '../../api/connect-api.ts';
import { ApiError } from '../../lib/api-error.ts';
import type { LoadParams } from './load-params.ts';
import { createTrack, type Track } from './page-telemetry.ts';

/** A notice in place of the page. */
export type NoticeKind = 'start' | 'expired' | 'unreachable' | 'problem' | 'empty';

/** A session and the integrations that can be connected in it. */
export interface ConnectData {
  params: LoadParams;
  session: OpenConnectSession;
  integrations: OfferedIntegration[];
  /** Undefined in the preview, which makes no calls. */
  api: ConnectApi | undefined;
  track: Track;
  getProvider(integration: OfferedIntegration): Promise<OfferedProvider>;
}

export async function loadConnectData(params: LoadParams, token: string, language: string): Promise<ConnectData> {
  if (params.apiUrl === undefined) throw new ApiError('invalid_host_url', 'The address of the API is not valid.', 0);
  const target = { apiUrl: params.apiUrl, token };
  const api = new ConnectApi(target, language);
  const [session, integrations] = await Promise.all([api.getSession(), api.listIntegrations()]);
  return {
    params,
    session,
    integrations: integrations.toSorted((a, b) => a.display_name.localeCompare(b.display_name, language)),
    api,
    track: createTrack(target),
    getProvider: (integration) => api.getProvider(integration.provider),
  };
}

export const previewData = (params: LoadParams): ConnectData => ({
  params,
  session: PREVIEW_SESSION,
  integrations: PREVIEW_INTEGRATIONS,
  api: undefined,
  track: () => {},
  getProvider: async (integration) => previewProvider(integration),
});

/** The only integration of the session, so that there is no list to choose from. */
export function onlyIntegration({ session, integrations }: ConnectData): OfferedIntegration | undefined {
  return integrations.length === 1 && session.allowed_integrations?.length === 1 ? integrations[0] : undefined;
}

export function noticeFor(error: unknown): NoticeKind {
  if (!(error instanceof ApiError)) return 'problem';
  if (error.status === 401) return 'expired';
  return error.code === 'unreachable' ? 'unreachable' : 'problem';
}

const NAMES = { airtable: 'Airtable', github: 'GitHub', notion: 'Notion' };

/** The data of the preview in the settings, which makes no calls. */
const PREVIEW_SESSION: OpenConnectSession = {
  endUser: null,
  connectUISettings: {
    showWatermark: false,
    defaultTheme: 'system',
    theme: { light: { primary: '#00B2E3' }, dark: { primary: '#00B2E3' } },
  },
};

const PREVIEW_INTEGRATIONS: OfferedIntegration[] = Object.entries(NAMES).map(([provider, display_name]) => ({
  unique_key: provider,
  provider,
  display_name,
  logo: '',
  forward_webhooks: false,
  created_at: '',
  updated_at: '',
}));

const previewProvider = ({ provider, display_name }: OfferedIntegration): OfferedProvider => ({
  name: provider,
  display_name,
  auth_mode: 'API_KEY',
  logo_url: '',
  source: 'built-in',
});
