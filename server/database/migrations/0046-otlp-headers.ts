import type { Migration } from './migration.ts';

/** Headers for the collector of an environment's traces, sealed (ui.md 6.16). */
export const otlpHeaders: Migration = {
  id: '0046-otlp-headers',
  breaking: false,
  statements: ["ALTER TABLE environments ADD COLUMN otlp_headers TEXT NOT NULL DEFAULT ''"],
};
