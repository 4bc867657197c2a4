import {
  ConnectApi,
  type OfferedIntegration,
  type OfferedProvider,
  type OpenConnectSession,
} from '../../api/connect-api.ts';
import { ApiError } from '../../lib/api-error.ts';
import type { LoadParams } from './load-params.ts';
import { createTrack, type Track } from './page-telemetry.ts';
import { PREVIEW_INTEGRATIONS, PREVIEW_SESSION, previewProvider } from './preview-sample.ts';

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
