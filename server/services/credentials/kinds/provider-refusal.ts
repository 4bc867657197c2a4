import { splitConfig } from '../../../catalog/secret-config.ts';
import { valueAt } from '../../../catalog/template/resolve-template.ts';
import type { ErrorCode } from '../../../contract/error-codes.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import { SecretReplacer, secretsOf } from '../../../lib/secrets.ts';
import type { TokenAnswer, TokenContext } from '../token-context.ts';

/** Where providers put a short text about what went wrong. */
const TEXT_PATHS = ['error', 'error.message', 'error_description', 'message'];
const LONGEST_TEXT = 300;
/** More is a page or a dump, not a sentence. */
const LONGEST_SOURCE = 5_000;

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
  const { app, custom, stored, connectionConfig, entry } = context;
  const secrets = secretsOf(sent, app, custom, stored, splitConfig(connectionConfig, entry).secret);
  const clean = new SecretReplacer(secrets).replace(text);
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
