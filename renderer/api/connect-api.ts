import type { z } from 'zod';
import type { sessionResponse } from '../../server/authorization/session-responses.contract.ts';
import type { integrationsResponse } from '../../server/integrations/integration-responses.contract.ts';
import type { providerResponse } from '../../server/integrations/providers.contract.ts';
import { ApiError, toApiError } from '../lib/api-error.ts';

export type OpenConnectSession = z.infer<typeof sessionResponse>['data'];
export type ConnectSettings = OpenConnectSession['connectUISettings'];
export type OfferedIntegration = z.infer<typeof integrationsResponse>['data'][number];
/** How a person signs in, where there is a choice. */
export type OfferedWay = NonNullable<OfferedIntegration['sign_in']>[number];
export type OfferedProvider = z.infer<typeof providerResponse>['data'];

/** The response of an authorization request. */
export interface AuthResult {
  providerConfigKey: string;
  connectionId: string;
  isPending?: boolean;
}

export interface ApiTarget {
  /** Without a trailing slash. */
  apiUrl: string;
  token: string;
}

/** Sends any request of the connect page; every kind of failure becomes an `ApiError`. */
export async function callApi(url: string, init: RequestInit): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(url, { ...init, credentials: 'omit' });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError('unreachable', 'Homeport does not answer.', 0);
  }
  const body: unknown = await response.json().catch(() => null);
  if (response.status !== 200) throw toApiError(response.status, body);
  return body;
}

/** The requests that the token of a connect session allows. */
export class ConnectApi {
  readonly target: ApiTarget;
  readonly #language: string;

  constructor(target: ApiTarget, language: string) {
    this.target = target;
    this.#language = language;
  }

  getSession(): Promise<OpenConnectSession> {
    return this.#get('/connect/session');
  }

  listIntegrations(): Promise<OfferedIntegration[]> {
    return this.#get('/integrations');
  }

  getProvider(name: string): Promise<OfferedProvider> {
    return this.#get(`/providers/${encodeURIComponent(name)}`);
  }

  /** Whether a code that the person got before is valid still. */
  async hasPendingCode(integrationKey: string): Promise<boolean> {
    const { apiUrl, token } = this.target;
    const path = `/oauth/device/${encodeURIComponent(integrationKey)}`;
    const { status } = (await callApi(`${apiUrl}${path}?connect_session_token=${encodeURIComponent(token)}`, {})) as {
      status: string;
    };
    return status === 'pending';
  }

  async #get<Data>(path: string): Promise<Data> {
    const { apiUrl, token } = this.target;
    const headers = { authorization: `Bearer ${token}`, 'accept-language': this.#language };
    const { data } = (await callApi(`${apiUrl}${path}`, { headers })) as { data: Data };
    return data;
  }
}
