import { createHash, createHmac, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { awsAuthorization, awsDate } from '../../../platform/lib/aws-signature.ts';
import { formatInstant, shiftInstant } from './format-instant.ts';
import type { Expression, Template, TemplatePart } from './parse-template.ts';
import { toPem } from './pem.ts';

/** Values for the templates of one request. `now` and `random` are the same for the whole request. */
export interface TemplateContext {
  /** Value of a dotted path; undefined when there is none. */
  lookup: (path: string) => unknown;
  /** Milliseconds since the epoch. */
  now: number;
  /** One UUID. */
  random: string;
}

export interface Resolution {
  /** The result. Unresolved placeholders stay as written. */
  text: string;
  /** Paths without a value. An empty list means that everything was resolved. */
  missing: string[];
}

/** Resolves `A || B` to A when every placeholder of A has a value, else to B. */
export function resolveTemplate(template: Template, context: TemplateContext): Resolution {
  const [first = [], second] = template.alternatives;
  const resolution = resolveParts(first, context);
  if (second === undefined || (resolution.missing.length === 0 && resolution.text !== '')) return resolution;
  return resolveParts(second, context);
}

export function resolveParts(parts: TemplatePart[], context: TemplateContext): Resolution {
  const missing: string[] = [];
  let text = '';
  for (const part of parts) {
    if (typeof part === 'string') {
      text += part;
      continue;
    }
    const value = resolveExpression(part, context);
    if (typeof value === 'string') text += value;
    else {
      missing.push(...value.missing);
      text += part.source;
    }
  }
  return { text, missing };
}

/** The text of one placeholder, or the paths whose values are missing. */
export function resolveExpression(expression: Expression, context: TemplateContext): string | { missing: string[] } {
  if (expression.kind === 'now') {
    const at = shiftInstant(context.now, expression.shiftMs, expression.months);
    return expression.format === undefined ? new Date(at).toISOString() : formatInstant(at, expression.format);
  }
  if (expression.kind === 'call') return resolveCall(expression, context);
  if (expression.path === 'random') return context.random;
  const value = context.lookup(expression.path);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : { missing: [expression.path] };
}

function resolveCall(call: Expression & { kind: 'call' }, context: TemplateContext): string | { missing: string[] } {
  const resolved = call.arguments.map((argument) => resolveParts(argument, context));
  const missing = resolved.flatMap((argument) => argument.missing);
  if (missing.length > 0) return { missing };
  const args = resolved.map((argument) => argument.text);
  return TEMPLATE_FUNCTIONS[call.name]?.(args, context) ?? { missing: [call.name] };
}

/**
 * Value at a dotted path, else the value of a key that itself contains the dots (`team.id`). Inherited members do not
 * count.
 */
export function valueAt(source: unknown, path: string): unknown {
  const nested = path.split('.').reduce<unknown>((value, key) => ownValue(value, key), source);
  return nested ?? ownValue(source, path);
}

function ownValue(source: unknown, key: string): unknown {
  if (typeof source !== 'object' || source === null || !Object.hasOwn(source, key)) return undefined;
  return (source as Record<string, unknown>)[key];
}

type TemplateFunction = (args: string[], context: TemplateContext) => string | undefined;

/**
 * Functions of the placeholder language. They get resolved arguments and return undefined for unusable ones (such as an
 * unreadable key); the placeholder then counts as unresolved.
 */
const TEMPLATE_FUNCTIONS: Record<string, TemplateFunction> = {
  base64: ([text = '']) => Buffer.from(text).toString('base64'),
  sha256Hex: ([text = '']) => createHash('sha256').update(text).digest('hex'),
  sha256Base64: ([text = '']) => createHash('sha256').update(text).digest('base64'),
  hmacSha1Hex: ([message, key]) =>
    message === undefined || key === undefined ? undefined : createHmac('sha1', key).update(message).digest('hex'),
  ed25519Sign: ([message, pem]) => {
    const key = pem === undefined ? undefined : readPrivateKey(pem);
    return key && message !== undefined ? sign(null, Buffer.from(message), key).toString('base64') : undefined;
  },
  fingerprint: ([pem = '']) => {
    const key = readPrivateKey(pem);
    if (!key) return undefined;
    const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
    return `SHA256:${createHash('sha256').update(spki).digest('base64')}`;
  },
  awsSigV4: signWithAws,
};

function readPrivateKey(pem: string): ReturnType<typeof createPrivateKey> | undefined {
  try {
    return createPrivateKey(toPem(pem, 'PRIVATE KEY'));
  } catch {
    return undefined; // Not a private key: a person entered this text in a form.
  }
}

/**
 * `${awsSigV4(id, secret, region, service[, host])}`: signs host, `x-amz-date` and the caller's content type of the
 * current request (providers.md 4). Undefined when there is no request.
 */
function signWithAws(args: string[], context: TemplateContext): string | undefined {
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
