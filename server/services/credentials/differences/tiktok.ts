import type { TokenCall } from '../kinds/oauth2-token-call.ts';
import type { ProviderDifference } from './provider-difference.ts';

/** The tokens are in `data`; a refusal is a 200 with a code other than 0. */
const inData: ProviderDifference = {
  refuses: ({ code }) => code !== undefined && Number(code) !== 0,
  read: ({ data }) => data,
};

const withClientKey = ({ params: { client_id: id, ...params }, ...call }: TokenCall): TokenCall => ({
  ...call,
  params: { ...params, client_key: id ?? '' },
});

export const TIKTOK: Record<string, ProviderDifference> = {
  'tiktok-ads': {
    ...inData,
    exchange: (call, { client, code }) => ({
      ...call,
      format: 'json',
      params: { app_id: client.id, secret: client.secret ?? '', auth_code: code },
    }),
  },
  'tiktok-accounts': {
    ...inData,
    exchange: ({ params: { code, ...params }, ...call }) => ({
      ...call,
      format: 'json',
      params: { ...params, auth_code: code ?? '' },
    }),
    refresh: (call) => ({ ...call, format: 'json' }),
  },
  'tiktok-personal': { exchange: withClientKey, refresh: withClientKey },
};
