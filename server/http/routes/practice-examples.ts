/** The connection that the examples of the document call: `me`, of the practice provider. */
export const PRACTICE_CONNECTION = { provider_config_key: 'practice', connection_id: 'me' };

/** The same, for routes that take it as headers. */
export const PRACTICE_HEADERS = { 'Provider-Config-Key': 'practice', 'Connection-Id': 'me' };
