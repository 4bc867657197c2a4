import { type Handler, ok } from '../../route.ts';

/** Up once every part is up: the server listens only then (http-api.md 19). */
export const getHealth: Handler = () => ok({ result: 'ok' });
