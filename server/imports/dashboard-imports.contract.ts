import { dashboardConnectionParams, environmentQuery } from '../contract/dashboard/dashboard-lists.ts';
import { importRecordsQuery } from './imports.contract.ts';

export const importParams = dashboardConnectionParams;
export const dashboardImportQuery = importRecordsQuery.extend(environmentQuery.shape);
