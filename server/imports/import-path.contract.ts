/**
 * Takes a file with records as its body, and answers like `POST /records/import`. Not in the table of routes: its body is
 * no JSON. Apart from the schemas, because the dashboard must not load these.
 */
export const IMPORT_PATH = '/api/v1/connections/:integrationKey/:connectionId/records/import';
