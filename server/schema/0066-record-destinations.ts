import { destinationTables } from '../destinations/destinations.tables.ts';
import type { Migration } from '../platform/database/migration.ts';

/** Where records go on their own, and how far. */
export const recordDestinations: Migration = {
  id: '0066-record-destinations',
  breaking: false,
  statements: [...destinationTables],
};
