import type { Handler } from '../../route.ts';

/** Command-line tools of the reference report what they do; nothing of it is kept (http-api.md 19). */
export const ignoreTelemetry: Handler = () => ({ status: 204 });
