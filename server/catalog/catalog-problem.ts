/** What is wrong with one entry, and where its author finds it. */
export interface CatalogProblem {
  /** Path of the file as it was given; `providers.yaml`, `providers.d/acme.yaml`. */
  file: string;
  /** 1-based; 0 when the problem concerns the file as a whole. */
  line: number;
  provider: string;
  /** Dotted path inside the entry; empty for the entry itself. */
  keyPath: string;
  reason: string;
}

/** A finding inside one entry, before it is tied to a line. */
export interface EntryIssue {
  path: (string | number)[];
  reason: string;
}

/** An issue of the schema, as far as it matters here. */
export interface SchemaIssue {
  code?: string;
  path: PropertyKey[];
  message: string;
  keys?: string[];
  values?: readonly unknown[];
}
