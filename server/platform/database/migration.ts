/**
 * One step of the schema. Its text is frozen once released: it calls nothing of today's code, and a test
 * compares its hash. `breaking` means that older programs cannot work on the new schema.
 */
export interface Migration {
  readonly id: string;
  readonly breaking: boolean;
  readonly statements: readonly string[];
  /**
   * Earlier steps that `statements` contain. A data folder that has all of them gets these `statements` instead; one that
   * has only some is refused.
   */
  readonly replaces?: {
    readonly ids: readonly string[];
    readonly statements: readonly string[];
  };
}
