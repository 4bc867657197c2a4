/** What a text says as JSON; undefined when it is none, as pages and empty bodies are. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Not every answer is JSON: who needs it to be looks.
  }
}
