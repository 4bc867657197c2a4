/** The connection in the document's examples: `me`, of the practice provider. */
export const PRACTICE_CONNECTION = { provider_config_key: 'practice', connection_id: 'me' };

/** The same connection, for routes that read it from headers. */
export const PRACTICE_HEADERS = { 'Provider-Config-Key': 'practice', 'Connection-Id': 'me' };
