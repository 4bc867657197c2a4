import { secretPattern } from '../../lib/secret-pattern.ts';
import { isLongEnough, isRedactedKey, REDACTED, rememberNames } from '../../lib/secrets.ts';

/** `Bearer …` and `Basic …` with something long enough to be a credential. */
const AUTHORIZATION_VALUE = /\b(Bearer|Basic)\s+[\w.~+/=-]{16,}/gi;
const MIN_AUTHORIZATION_LENGTH = 'Basic '.length + 16;
const QUERY_PARAMETER = /([?&;#])([\w.%[\]-]+)=([^&;#\s"'<>]*)/g;
const URL_PASSWORD = /(\w:\/\/[^\s/:@]*:)[^\s/@]+@/g;
const redactNameShapes = rememberNames(redactShapes);

/** A secret inside JSON text may be escaped. */
function formsOf(secret: string): string[] {
  return [secret, JSON.stringify(secret).slice(1, -1)];
}

/** Removes secrets from texts: the given values everywhere, and values that look like secrets. */
export class SecretRedactor {
  readonly #values = new Set<string>();
  /** Longest first, so that no part of a longer secret remains. */
  #ordered: Array<string | RegExp> = [];

  constructor(secrets: readonly string[] = []) {
    this.add(secrets);
  }

  add(secrets: readonly string[]): void {
    for (const secret of secrets) {
      if (!isLongEnough(secret)) continue;
      for (const form of formsOf(secret)) this.#values.add(form);
    }
    this.#ordered = [...this.#values].sort((a, b) => b.length - a.length).map(secretPattern);
  }

  redact(text: string): string {
    return redactShapes(this.#redactValues(text));
  }

  /** As `redact`, for the name of a member. */
  redactName(name: string): string {
    return redactNameShapes(this.#redactValues(name));
  }

  #redactValues(text: string): string {
    let result = text;
    for (const pattern of this.#ordered) result = result.replaceAll(pattern, REDACTED);
    return result;
  }
}

/** Removes values that look like secrets. Cheap checks come first: nearly all texts contain none. */
function redactShapes(text: string): string {
  let result = text;
  if (result.includes('=')) {
    result = result.replace(QUERY_PARAMETER, (whole, mark: string, name: string) =>
      isRedactedKey(name) ? `${mark}${name}=${REDACTED}` : whole,
    );
  }
  if (result.includes('://')) result = result.replace(URL_PASSWORD, `$1${REDACTED}@`);
  const isPlain = result.length < MIN_AUTHORIZATION_LENGTH || !/\s/.test(result);
  return isPlain ? result : result.replace(AUTHORIZATION_VALUE, `$1 ${REDACTED}`);
}
