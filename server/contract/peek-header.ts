/**
 * Header of a call that only shows a connection to a person: `GET /connections/:id` with it is no use of the connection
 * (http-api.md 4).
 */
export const PEEK_HEADER = 'x-homeport-peek';
