/** Apart from the schemas, so that a command or a start does not make the schemas for them. */

/** Most rows of one page of a list. */
export const PAGE_SIZE = 200;

/** The most groups that a grouped list names; rows of further ones follow after theirs. */
export const MAX_LIST_GROUPS = 500;

/** Largest number of saved inputs of a function. */
export const MAX_SAVED_INPUTS = 50;
/** Largest number of saved requests to an integration: a collection of another program is imported as a whole. */
export const MAX_SAVED_REQUESTS = 500;
