/** Types of an integration's API, in the folder of the integration. `homeport types` writes it (functions.md 8.1). */
export const API_TYPES_FILE = 'homeport-api.d.ts';

/** The name under which that file imports the SDK itself. */
export const UNTYPED_SDK = 'homeport/untyped';
