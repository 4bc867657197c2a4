/** Most rows of one page of a list. Apart from the schemas, so that a command does not load the validator for it. */
export const PAGE_SIZE = 200;
