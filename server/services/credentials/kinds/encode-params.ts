import { XMLBuilder } from 'fast-xml-parser';
import qs from 'qs';
import type { TokenRequest } from '../token-context.ts';
import type { Params } from './fill-params.ts';

export type BodyFormat = 'form' | 'json' | 'query' | 'xml';

/** Puts parameters where the format says: into the body with its content-type, or into the query of the address. */
export function encodeParams(
  url: string,
  params: Params,
  format: BodyFormat,
): Pick<TokenRequest, 'url' | 'headers' | 'body'> {
  switch (format) {
    case 'query':
      return { url: addQuery(url, params) };
    case 'form':
      return { url, headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: formText(params) };
    case 'json':
      return { url, headers: { 'content-type': 'application/json' }, body: JSON.stringify(params) };
    case 'xml':
      return { url, headers: { 'content-type': 'application/xml' }, body: xmlText(params) };
  }
}

export function formText(params: Params): string {
  return qs.stringify(params, { format: 'RFC1738' });
}

function addQuery(url: string, params: Params): string {
  const text = formText(params);
  if (text === '') return url;
  return `${url}${url.includes('?') ? '&' : '?'}${text}`;
}

/** Members named `$x` are attributes of their element. */
function xmlText(params: Params): string {
  const builder = new XMLBuilder({ ignoreAttributes: false, attributeNamePrefix: '$', suppressEmptyNode: true });
  return `<?xml version="1.0" encoding="UTF-8"?>${builder.build(params)}`;
}
