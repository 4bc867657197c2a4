/** A problem of one entry, with its place in the file. */
export interface CatalogProblem {
  /** Path of the file as passed; for example `providers.yaml` or `providers.d/acme.yaml`. */
  file: string;
  /** Line number from 1; 0 when the problem concerns the whole file. */
  line: number;
  provider: string;
  /** Dotted path inside the entry; empty for the entry itself. */
  keyPath: string;
  reason: string;
}

/** A finding inside one entry, before its line is known. */
export interface EntryIssue {
  path: (string | number)[];
  reason: string;
}

/** The used members of a schema issue. */
export interface SchemaIssue {
  code?: string;
  path: PropertyKey[];
  message: string;
  keys?: string[];
  values?: readonly unknown[];
}
