import { findJsonExcess } from './json-limits.ts';

/** What a text says as JSON; undefined when it is not JSON, as pages and empty bodies are, or nests too deep to be stored. */
export function parseJson(text: string): unknown {
  if (findJsonExcess(text) === 'levels') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Not every answer is JSON: who needs it to be looks.
  }
}
