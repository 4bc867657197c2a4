import { flatImportBody } from '../../../contract/api/flat-import.ts';
import type { FlatImports } from '../../../services/lifecycle/flat-imports.ts';
import { created, type Handler } from '../../route.ts';
import { validateBody } from '../../validate.ts';

/** The deprecated import answers with its own body and the id (http-api.md 5). */
export function importFlatConnection(use: { flatImports: FlatImports }): Handler {
  return async (request) => {
    const body = validateBody(flatImportBody, request.body ?? {});
    return created({ ...body, connection_id: await use.flatImports.run(request.environment, body) });
  };
}
