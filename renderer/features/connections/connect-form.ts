import type { ConnectSessionBody } from '../../api/contract.ts';
import { type KeyValue, toRecord } from '../../lib/key-values.ts';
import { isWebAddress } from '../../lib/web-address.ts';

export interface ConnectValues {
  userId: string;
  userEmail: string;
  userName: string;
  tags: KeyValue[];
  authorizationParams: KeyValue[];
  scopes: string;
  clientId: string;
  clientSecret: string;
  docsConnect: string;
  webhookUrl: string;
}

/** Modes in which the person authorizes at the provider, with parameters that can be changed. */
const AUTHORIZATION_MODES = ['OAUTH2', 'MCP_OAUTH2', 'MCP_OAUTH2_GENERIC'];
export const hasAuthorizationOptions = (authMode: string): boolean => AUTHORIZATION_MODES.includes(authMode);

const TAG_NAME = /^[a-zA-Z][a-zA-Z0-9_\-./]{0,63}$/;
const MAX_TAGS = 10;

const addressError = (text: string): string | null =>
  text === '' || isWebAddress(text) ? null : 'Enter an address that starts with http:// or https://.';

function tagsError(pairs: KeyValue[]): string | null {
  const named = pairs.filter(({ key, value }) => key !== '' || value !== '');
  if (named.some(({ key }) => !TAG_NAME.test(key.trim())))
    return 'A name starts with a letter and holds at most 64 letters, digits, _, -, . and /.';
  if (named.some(({ value }) => value === '')) return 'Every tag needs a value.';
  const names = named.map(({ key }) => key.trim().toLowerCase());
  if (new Set(names).size < names.length) return 'Two tags have the same name. Capital letters make no difference.';
  return names.length > MAX_TAGS ? `At most ${MAX_TAGS} tags are allowed.` : null;
}

/** The server's rules, checked before the request, by field. */
export const CONNECT_CHECKS = {
  userId: (id: string) => (id.trim() === '' ? 'Enter the ID of the user in your app.' : null),
  userEmail: (email: string) =>
    email === '' || /^[^\s@]+@(?:[^\s@.]+\.)+[^\s@.]+$/.test(email) ? null : 'Enter an e-mail address.',
  tags: tagsError,
  clientSecret: (secret: string, { clientId }: ConnectValues) =>
    secret !== '' && clientId === '' ? 'A secret needs its client ID.' : null,
  docsConnect: addressError,
  webhookUrl: addressError,
};

const filled = <T extends Record<string, string>>(values: T): Partial<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '')) as Partial<T>;

/** `takesOptions` is false where there are no authorization parameters to change. */
export function connectBody(integrationKey: string, values: ConnectValues, takesOptions: boolean): ConnectSessionBody {
  const { userId, userEmail, userName, scopes, clientId, clientSecret, docsConnect, webhookUrl } = values;
  const tags = toRecord(values.tags);
  const authorizationParams = toRecord(values.authorizationParams);
  const list = scopes
    .split(/[\s,]+/)
    .filter(Boolean)
    .join(',');
  return {
    integrationKey,
    endUser: { id: userId.trim(), ...filled({ email: userEmail, displayName: userName }) },
    ...(Object.keys(tags).length > 0 ? { tags } : {}),
    ...(takesOptions && Object.keys(authorizationParams).length > 0 ? { authorizationParams } : {}),
    ...(takesOptions ? filled({ scopes: list, clientId, clientSecret }) : {}),
    ...filled({ docsConnect, webhookUrlOverride: webhookUrl }),
  };
}
