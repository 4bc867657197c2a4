import { createOpenApiDocument } from '../../../contract/openapi/openapi-document.ts';
import { type Handler, ok } from '../../route.ts';

/** The document for the address that the caller used; the host guard lets names of this computer through only. */
export function getOpenApi(use: { version: string }): Handler {
  let written = { serverUrl: '', text: '' };
  return ({ http }) => {
    const serverUrl = `http://${http.headers.host}`;
    if (written.serverUrl !== serverUrl) {
      written = { serverUrl, text: JSON.stringify(createOpenApiDocument({ serverUrl, version: use.version })) };
    }
    return { ...ok(undefined), text: written.text };
  };
}
