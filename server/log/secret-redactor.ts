import { isLongEnough, REDACTED, SecretReplacer } from '../platform/lib/secret-replacer.ts';
import { isRedactedKey, rememberNames } from '../platform/lib/secrets.ts';

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
  readonly #replacer = new SecretReplacer([]);

  constructor(secrets: readonly string[] = []) {
    this.add(secrets);
  }

  add(secrets: readonly string[]): void {
    if (secrets.length === 0) return;
    this.#replacer.add(secrets.filter(isLongEnough).flatMap(formsOf));
  }

  redact(text: string): string {
    return redactShapes(this.#replacer.replace(text));
  }

  /** As `redact`, for the name of a member. */
  redactName(name: string): string {
    return redactNameShapes(this.#replacer.replace(name));
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
