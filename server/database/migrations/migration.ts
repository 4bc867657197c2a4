/**
 * One step of the schema. Its text is frozen once released: it calls nothing of today's code, and a test
 * compares its hash. `breaking` means that older programs cannot work on the new schema.
 */
export interface Migration {
  readonly id: string;
  readonly breaking: boolean;
  readonly statements: readonly string[];
}
