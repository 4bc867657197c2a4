/** The part that tests use, for the type checker. */
export function fingerprint(inputs: string[], ...more: string[]): string;
