/** Largest log entry, and largest payload of an error, in bytes (functions.md 3.9, 6.4). */
export declare const MOST_JSON_BYTES = 99000;
/** The text, cut at `mostBytes` without splitting a character, with a mark that says so. */
export declare function cutText(text: string, mostBytes?: number): string;
/**
 * The object at no more than `mostBytes` of JSON. The largest members go first: a text is cut if that is enough,
 * everything else is left out.
 */
export declare function shrinkObject(whole: Record<string, unknown>, mostBytes?: number): Record<string, unknown>;
