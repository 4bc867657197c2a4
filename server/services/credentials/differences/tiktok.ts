import { HomeportError } from '../../../lib/homeport-error.ts';
import { providerText } from '../kinds/provider-refusal.ts';
import type { ProviderDifference } from './provider-difference.ts';

/** The tokens are in `data`; a refusal is a 200 with a code other than 0. */
function readData(answer: unknown): unknown {
  const { code, data } = (answer ?? {}) as { code?: unknown; data?: unknown };
  if (code === undefined || code === 0 || code === '0') return data;
  throw new HomeportError(
    'token_exchange_failed',
    `The provider gave no tokens: ${providerText(answer) || 'an error'}`,
  );
}

export const TIKTOK: Record<string, ProviderDifference> = {
  'tiktok-ads': {
    exchange: (call, { client, code }) => ({
      ...call,
      format: 'json',
      params: { app_id: client.id, secret: client.secret ?? '', auth_code: code },
    }),
    read: readData,
  },
  'tiktok-accounts': {
    exchange: ({ params: { code, ...params }, ...call }) => ({
      ...call,
      format: 'json',
      params: { ...params, auth_code: code ?? '' },
    }),
    refresh: (call) => ({ ...call, format: 'json' }),
    read: readData,
  },
  'tiktok-personal': {
    exchange: ({ params: { client_id: id, ...params }, ...call }) => ({
      ...call,
      params: { ...params, client_key: id ?? '' },
    }),
    refresh: ({ params: { client_id: id, ...params }, ...call }) => ({
      ...call,
      params: { ...params, client_key: id ?? '' },
    }),
  },
};
