import { awsAuthorization, awsDate } from '../../lib/aws-signature.ts';
import type { TemplateContext } from './resolve-template.ts';

/**
 * `${awsSigV4(id, secret, region, service[, host])}`: signs host, `x-amz-date` and the caller's content type of the
 * current request (providers.md 4). Undefined when there is no request.
 */
export function signWithAws(args: string[], context: TemplateContext): string | undefined {
  const [accessKeyId, secretAccessKey, region, service] = args;
  if (!accessKeyId || !secretAccessKey || !region || !service) return undefined;
  const read = (path: string): string => {
    const value = context.lookup(path);
    return typeof value === 'string' ? value : '';
  };
  const [method, path, query, contentType] = ['method', 'path', 'urlCanonicalParams', 'contentType'].map(read);
  if (!method || !path) return undefined;
  const request = {
    method,
    host: args[4] ?? `${service}.amazonaws.com`,
    path: query ? `${path}?${query}` : path,
    headers: { 'x-amz-date': awsDate(context.now), ...(contentType ? { 'content-type': contentType } : {}) },
    body: read('bodyCanonicalParams'),
  };
  return awsAuthorization(request, { accessKeyId, secretAccessKey, region, service }, context.now);
}
