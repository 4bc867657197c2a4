import { valueAt } from '../../../catalog/template/resolve-template.ts';
import type { ErrorCode } from '../../../contract/error-codes.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import { secretPattern } from '../../../lib/secret-pattern.ts';
import type { TokenAnswer, TokenContext } from '../token-context.ts';

/** Where providers put a short text about what went wrong. */
const TEXT_PATHS = ['error', 'error.message', 'error_description', 'message'];
const LONGEST_TEXT = 300;
/** More is a page or a dump, not a sentence. */
const LONGEST_SOURCE = 5_000;
/** Shorter values cannot be told from ordinary words; inside earlier answers many longer ones are such words. */
const SHORTEST_SECRET = 4;
const SHORTEST_ANSWERED_SECRET = 12;
/** Members that hold no secret, and would blot out ordinary words. */
const PLAIN_MEMBERS = new Set(['type', 'expires_at', 'region', 'service', 'registeredFor', 'mcp_server_url']);

interface Refusal {
  code: ErrorCode;
  /** Begins the message: who refused what. */
  what: string;
  answer: TokenAnswer;
  context: TokenContext;
  /** What was sent; a provider that repeats it does not get it into the message. */
  sent: Record<string, unknown>;
}

/** The error for an answer that is no token: the status and the provider's own short text, never its whole body. */
export function providerRefusal({ code, what, answer, context, sent }: Refusal): HomeportError {
  const text = providerText(answer.json);
  const secrets = [sent, context.app, context.custom]
    .flatMap((values) => secretsIn(values, SHORTEST_SECRET))
    .sort((a, b) => b.length - a.length);
  const clean = secrets
    .map(secretPattern)
    .reduce<string>((rest, secret) => rest.replaceAll(secret, '[redacted]'), text);
  const shown = clean.length > LONGEST_TEXT ? `${clean.slice(0, LONGEST_TEXT)}…` : clean;
  return new HomeportError(code, `${what} (status ${answer.status})${shown === '' ? '' : `: ${shown}`}.`);
}

/** What a provider says about its refusal: its short texts, never the whole body; empty when there is none. */
export function providerText(json: unknown): string {
  const texts = TEXT_PATHS.map((path) => valueAt(json, path)).filter(isSentence);
  return [...new Set(texts.map((text) => text.replace(/\s+/g, ' ').replace(/[.\s]+$/, '')))].join(', ');
}

/** Not a page of HTML. */
function isSentence(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= LONGEST_SOURCE && !value.includes('<');
}

function secretsIn(value: unknown, shortest: number): string[] {
  if (typeof value === 'string') return value.length >= shortest ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => {
    if (PLAIN_MEMBERS.has(name)) return [];
    return secretsIn(item, name === 'raw' || /^step\d+$/.test(name) ? SHORTEST_ANSWERED_SECRET : shortest);
  });
}
