/** Longest text of a provider that goes into a message. */
const LONGEST_TEXT = 300;

/** What a provider says about its refusal: the short texts that OAuth and common APIs use, never the whole body. */
export function refusalText(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null) return undefined;
  const { error, error_description: description, error_message: errorMessage, message } = answer as Members;
  const nested = typeof error === 'object' && error !== null ? (error as Members).message : undefined;
  const texts = [error, description, errorMessage, nested, message].filter(isText);
  return texts.length === 0 ? undefined : [...new Set(texts)].join(': ').slice(0, LONGEST_TEXT);
}

interface Members {
  error?: unknown;
  error_description?: unknown;
  error_message?: unknown;
  message?: unknown;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
