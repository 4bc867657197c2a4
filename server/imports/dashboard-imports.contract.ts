import { dashboardConnectionParams, environmentQuery } from '../contract/dashboard/dashboard-lists.ts';
import { importRecordsQuery } from './imports.contract.ts';

/**
 * Takes a file with records as its body, and answers like `POST /records/import`. Not in the table of routes: its body is
 * no JSON.
 */
export const IMPORT_PATH = '/api/v1/connections/:integrationKey/:connectionId/records/import';
export const importParams = dashboardConnectionParams;
export const dashboardImportQuery = importRecordsQuery.extend(environmentQuery.shape);
