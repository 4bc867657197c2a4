import { Ajv2020 } from 'ajv/dist/2020.js';
import { ERROR_CODES } from '../../../server/contract/error-codes.ts';
import type { OpenApiDocument } from '../../../server/contract/openapi/openapi-document.ts';
import type { OpenApiOperation, ResponseObject } from '../../../server/contract/openapi/openapi-operation.ts';
import type { ApiResponse } from '../http/api-caller.ts';

export interface Described {
  method: string;
  /** As in the document: `/connections/{connectionId}`. */
  path: string;
  operation: OpenApiOperation;
}

/** Checks answers against the document. */
export class DocumentChecker {
  readonly #document: OpenApiDocument;
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false });

  constructor(document: OpenApiDocument) {
    this.#document = document;
    this.#ajv.addSchema(document, 'openapi');
  }

  operations(): Described[] {
    return Object.entries(this.#document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
    );
  }

  get(route: string): Described {
    const found = this.operations().find(({ method, path }) => `${method} ${path}` === route);
    if (!found) throw new Error(`the document has no ${route}`);
    return found;
  }

  /** The parts of the response that the document does not describe; undefined when it conforms. */
  problemOf(route: Described, { status, body, bytes }: ApiResponse): string | undefined {
    const { responses } = route.operation;
    const response = responses[String(status)];
    const misfit = response
      ? this.#misfit(route, String(status), response, body, bytes)
      : `status ${status} is not documented`;
    // A response of a provider has any form, unless the code is one of ours; the practice provider uses two of them too.
    const code = codeOf(body) ?? '';
    const isOurs = code in ERROR_CODES && code !== 'not_found' && code !== 'invalid_request';
    return misfit !== undefined && responses['default'] && !isOurs ? undefined : misfit;
  }

  #misfit(
    { method, path }: Described,
    status: string,
    { content }: ResponseObject,
    body: unknown,
    bytes: Buffer,
  ): string | undefined {
    if (!content) return bytes.length === 0 ? undefined : `status ${status} has a body`;
    const pointer = ['paths', path, method.toLowerCase(), 'responses', status, 'content', 'application/json', 'schema'];
    const validate = this.#ajv.getSchema(`openapi#/${pointer.map(escapePointer).join('/')}`);
    if (!validate) throw new Error(`no schema at ${pointer.join(' ')}`);
    if (validate(body)) return undefined;
    return `status ${status} ${codeOf(body) ?? ''}: ${this.#ajv.errorsText(validate.errors)}`;
  }
}

export function codeOf(body: unknown): string | undefined {
  return (body as { error?: { code?: string } } | undefined)?.error?.code;
}

function escapePointer(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}
