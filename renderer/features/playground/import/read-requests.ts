import { readCurlCommands } from './curl-requests.ts';
import { type ImportedRequests, ImportProblem } from './imported-request.ts';
import { readPostmanCollection } from './postman-collection.ts';

const MAX_COLLECTION = 16_000_000;
/** A body has at most a million characters. */
const MAX_COMMANDS = 2_000_000;

/** The requests of a Postman collection or of cURL commands; throws an ImportProblem when there is anything that cannot be read. */
export function readRequests(text: string, baseUrl: string | null): ImportedRequests {
  if (text.length > MAX_COLLECTION) throw new ImportProblem('The text is larger than 16 MB. Export single folders.');
  const start = text.trimStart();
  if (start.startsWith('{') || start.startsWith('[')) return readPostmanCollection(start, baseUrl);
  if (text.length > MAX_COMMANDS) throw new ImportProblem('The commands are larger than 2 MB. Import them in parts.');
  if (/\bcurl(\.exe)?\s/.test(start)) return readCurlCommands(start, baseUrl);
  throw new ImportProblem('This is neither a cURL command nor a Postman collection.');
}
